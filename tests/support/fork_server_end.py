"""The last module that the fork server imports: processes forked from it do not go through its objects again.

A full garbage collection in them would write to each object, and so copy all memory that they share.
"""

import gc

gc.collect()
gc.freeze()
