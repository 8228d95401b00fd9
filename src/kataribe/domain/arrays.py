"""NumPy, loaded when the first array is made: most of what is asked of a store needs none.

`from kataribe.domain.arrays import np, npt` in the place of the two imports; a type that is named at a
module's top is written as a string.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__all__ = ["np", "npt"]

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:

    class ModuleOnUse:
        """A module that is imported when something of it is first asked for; threads may ask at once."""

        def __init__(self, name: str) -> None:
            self.__name__ = name

        def __getattr__(self, name: str) -> object:
            # Kept beside the name, so that what was asked once is as quick as in the module itself.
            found = self.__dict__[name] = getattr(import_module(self.__name__), name)
            return found

    np, npt = ModuleOnUse("numpy"), ModuleOnUse("numpy.typing")
