"""Keeping fitted models in files: arrays and JSON, nothing that runs.

::

    objects ──► encoding ── JSON tree + arrays ──► container ── bytes ──► atomic ──► one file
    objects ◄── decoding ◄─ JSON tree + arrays ─── container ◄─────────────────────── one file

A file can come from a stranger. So there is no pickle in it, and no name in it is ever imported or
called: what is read is what the class at hand says of its own fields (:mod:`~iim.persistence.classes`,
:mod:`~iim.persistence.fields`). And since compiled kernels read arrays without looking at their bounds,
nothing is taken as it comes: :mod:`~iim.persistence.container` refuses what is damaged, or would take far
more memory than the file is long, and every field must be what its class says before an object is put
together. What can be worked out, such as search trees, is not in the file at all. Imputers are written
and read by ``imputers/files.py``, single objects by :mod:`~iim.persistence.objects`.
"""
