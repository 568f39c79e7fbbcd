"""Files that are written whole or not at all."""

import os
import shutil
from contextlib import contextmanager


@contextmanager
def whole_file(file, mode="wb", **how):
    """A stream whose content takes the place of `file` once all of it is written.

    Where that fails what was there before stays, and nothing else is left. What is no plain file
    (a pipe, a device) is written to as it comes.
    """
    target = os.path.realpath(file)
    plain = os.path.isfile(target) or not os.path.exists(target)
    beside = plain and os.access(os.path.dirname(target), os.W_OK)
    place = f"{target}.{os.getpid()}.part" if beside else target
    try:
        with open(place, mode, **how) as stream:
            yield stream
        if beside:
            if os.path.exists(target):
                shutil.copymode(target, place)
            os.replace(place, target)
    except BaseException as error:
        if beside and os.path.exists(place):
            os.unlink(place)
        if isinstance(error, OSError) and error.errno is not None:  # a full disk names no file
            raise type(error)(error.errno, error.strerror, str(file)) from error
        raise
