"""The arithmetic of the other methods: arrays in, arrays out, a module for each.

::

    neighbor_mean     kNN, kNNE    the mean value of the nearest donors
    linear            GLR          one ridge regression over all donors
    posterior         BLR, PMM     draws of coefficients and variance around the estimate
    mean_matching     PMM          a donor drawn from those whose prediction is closest
    decision_trees    XGB          sums of trees as arrays, boosted ones or forests
    row_combination   ILLS         a row as the smallest linear combination of others
    coordinates       IFC, GMM, SVD    a whole table as points, and the way back
    kmeans            IFC, GMM     seeds and groups of near points, holes allowed
    fuzzy_clusters    IFC          memberships and centres, alternated
    mixture           GMM          expectation and maximisation with holes
    low_rank          SVD          singular vectors and fills, alternated
    blending          Auto         weights of several methods, from cells that all of them have filled

LOESS and ERACER need no more than ``neighbors``, ``linear`` and a kernel; xgboost grows boosted trees.
"""
