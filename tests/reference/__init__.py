"""The witness: the paper's algorithms, slow and plain, in the paper's letters. Never optimised."""
