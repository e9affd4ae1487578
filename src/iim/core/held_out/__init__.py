"""What is chosen for a column by held-out errors: known values are hidden, and predicted in several ways.

::

    tuning       distances, level and weights of a column
    shrinkage    how far its models are drawn towards one regression and the mean
    hiding       hide known cells so that rows get missing patterns like those of the table

For how rounds fill a column, see ``rounds/rehearsal``.
"""
