"""Keeping fitted models in files: arrays and JSON, nothing that runs.

::

    values ──► encoding ── JSON tree + arrays ──► container ── bytes ──► atomic ──► one file
    values ◄── decoding ◄─ JSON tree + arrays ─── container ◄─────────────────────── one file

A file can come from a stranger. So there is no pickle in it, and no name in it is ever imported or called:
a class is a row in a table of ours. And since compiled kernels read arrays without looking at their bounds,
nothing is taken as it comes: :mod:`~iim.keeping.container` refuses what is damaged, and every object must
be what its row says (:mod:`~iim.keeping.forms`, :mod:`~iim.keeping.fields`) before it is put together. What
can be worked out, such as search trees, is not in the file at all. The table of classes is where these are
known, in the layer above (``imputers/_forms.py``).
"""
