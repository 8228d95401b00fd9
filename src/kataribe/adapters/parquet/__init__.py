"""An archive of Parquet files in a folder, written and read by DuckDB."""

from kataribe.adapters.parquet.files import ParquetArchive

__all__ = ["ParquetArchive"]
