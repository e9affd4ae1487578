"""The method, a module per step; arrays in, arrays out.

::

    table -> matrix + missing           table/, matrix.py
          -> patterns (F, A)            patterns
          -> donors                     donors
          -> scaled coordinates         scaling
          -> neighbours                 neighbors
          -> who judges whom            choosing
          -> individual models          learning      (learned and chosen in one pass, see kernels/)
          -> candidates and votes       voting
          -> filled cells               fills

``iim`` tells that story in one page. ``settings`` names the decisions, ``library`` keeps what has been
learned, ``workers`` runs blocks of rows on threads.
"""
