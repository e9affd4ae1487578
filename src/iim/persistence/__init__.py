"""Fitted models in files: arrays and JSON, no code.

::

    objects ──► encoding ── JSON tree + arrays ──► container ── bytes ──► atomic ──► one file
    objects ◄── decoding ◄─ JSON tree + arrays ─── container ◄─────────────────────── one file

A file can come from an untrusted source. So it contains no pickle, and no name in it is imported or called:
classes declare their fields, and only these are read (:mod:`~iim.persistence.classes`,
:mod:`~iim.persistence.fields`). Compiled kernels do not check array bounds, so all content is validated:
:mod:`~iim.persistence.container` refuses a damaged file, and one that would take far more memory than its
size; each field is checked against its declaration before an object is built. Derived data, such as search
trees, are not saved. Imputers are written and read by ``imputers/files.py``, single objects by
:mod:`~iim.persistence.objects`.
"""
