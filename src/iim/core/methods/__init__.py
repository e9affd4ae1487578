"""The arithmetic of the other methods: arrays in, arrays out, a module for each.

::

    neighbor_mean     kNN, kNNE    the mean of the nearest donors
    linear            GLR          one ridge regression over all donors
    posterior         BLR, PMM     draws of coefficients and variance around the estimate
    mean_matching     PMM          a donor drawn from those whose prediction is closest
    decision_trees    XGB          sums of trees as arrays, boosted or forests
    row_combination   ILLS         a row as a minimum-norm linear combination of others
    coordinates       IFC, GMM, SVD    a whole table as scaled points, and back
    kmeans            IFC, GMM     k-means with missing values
    fuzzy_clusters    IFC          fuzzy c-means with missing values
    mixture           GMM          expectation-maximisation (EM) with missing values
    low_rank          SVD          singular vectors and fills, alternated
    blending          Auto         weights of several methods, from cells that all of them have filled

LOESS and ERACER use ``neighbors``, ``linear`` and a kernel. xgboost itself grows the boosted trees.
"""
