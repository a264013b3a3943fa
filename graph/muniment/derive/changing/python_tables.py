"""What is known of Python's library, and of libraries that everybody knows, by what their calls change."""

from __future__ import annotations

import re
import sys
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PATH_CALLS: Final = {
    **dict.fromkeys(
        _words(
            """os.remove os.unlink os.rmdir os.removedirs os.mkdir os.makedirs os.truncate os.chmod os.chown os.utime
            os.mkfifo os.mknod os.open shutil.rmtree shutil.chown sqlite3.connect fileinput.input"""
        ),
        (0,),
    ),
    **dict.fromkeys(_words("os.rename os.renames os.replace shutil.move"), (0, 1)),
    **dict.fromkeys(
        _words(
            """os.link os.symlink shutil.copy shutil.copy2 shutil.copyfile shutil.copytree shutil.copymode
            shutil.copystat urllib.request.urlretrieve"""
        ),
        (1,),
    ),
}
"""Function → places of the arguments that name what it writes."""
SOMEWHERE: Final = _words("shutil.make_archive shelve.open dbm.open shutil.unpack_archive")
"""Functions that write files whose names they make up."""
RUNS: Final = _words(
    """os.system os.popen subprocess.run subprocess.call subprocess.check_call subprocess.check_output
    subprocess.Popen subprocess.getoutput subprocess.getstatusoutput"""
)
"""Functions that run a command."""
ANYTHING: Final = _words(
    """exec eval compile execfile os.execv os.execve os.execvp os.execl os.execlp os.spawnl os.spawnv os.spawnlp
    os.startfile os.posix_spawn os.fork pty.spawn runpy.run_path runpy.run_module pip.main importlib.reload
    code.interact asyncio.create_subprocess_exec asyncio.create_subprocess_shell ctypes.CDLL
    distutils.core.setup setuptools.setup webbrowser.open os.putenv pdb.set_trace breakpoint os.chdir os.chroot
    cProfile.run profile.run venv.create ensurepip.bootstrap zipapp.create_archive lib2to3.main idlelib.run"""
)
OPENERS: Final = _words(
    """open io.open codecs.open gzip.open bz2.open lzma.open zipfile.ZipFile tarfile.open tarfile.TarFile
    pathlib.Path.open tokenize.open os.fdopen io.FileIO aiofiles.open"""
)
TEMPORARY: Final = re.compile(r"tempfile\.\w+\Z")
REMOTE: Final = re.compile(
    r"(?:requests|httpx|urllib|urllib3|http|socket|smtplib|ftplib|boto3|aiohttp|paramiko|psycopg2?|pymysql|redis)\."
)
MEMORY: Final = _words("io.StringIO io.BytesIO StringIO BytesIO sys.stdout sys.stderr")

PATH_METHODS: Final = _words(
    "write_text write_bytes unlink rmdir touch symlink_to hardlink_to link_to rmtree mkdir lchmod makedirs chmod rename"
)
"""Methods of paths that write the path that they are called on."""
HANDLE_METHODS: Final = _words("write writelines writerow writerows writeheader flush close")
"""Methods of opened files, which were counted where they were opened."""
DATABASE_METHODS: Final = _words(
    """save create delete bulk_create bulk_update get_or_create update_or_create execute executemany executescript
    commit create_model delete_model create_all drop_all create_table save_base save_m2m acreate asave adelete"""
)
"""Methods that write a database; one in memory is no file."""
LOG_FILES: Final = re.compile(r"logging\.(?:handlers\.)?\w*FileHandler\Z")
TEST_RUNS: Final = _words("pytest.main unittest.main doctest.testmod")
"""They count as test runs: as far as the files that people keep go, they only read."""
MODULES: Final = _words("os shutil subprocess builtins importlib pathlib posix nt pty")
"""Modules that nobody may pass around: what is done with them then is not seen."""
_CHANGES: Final = re.compile(
    r"(?:\A|_)(?:write|save|dump|export|store|delete|create|build|generate|install|uninstall|migrate|sync|commit|push"
    r"|upload|download|execute|executemany|executescript|run|main|system|popen|spawn|launch|deploy|publish|fix|autofix"
    r"|extract|rename|move|mkdir|touch|unlink|overwrite|rewrite|persist|cleanup|invoke|imwrite|savefig|savetxt|savez|tofile"
    r"|checkpoint)(?:_|\Z)"
    r"|\Acall_command\Z|(?:\A|_)to_(?:csv|excel|parquet|pickle|sql|file|hdf|feather|stata|gbq|orc"
    r"|path|disk|netcdf|zarr)\Z"
)
_HARMLESS: Final = _words(
    """run_until_complete run_checks move_to_end moveaxis create_autospec create_connection create_task create_engine
    create_default_context extract_node string_build build_absolute_uri build_lookup build_filter build_attrs
    create_string_buffer move_axis create_reverse_many_to_one_manager build_tree build_ast"""
)
"""Functions with such words in their names that work in memory."""

LIBRARIES: Final = _words(
    """numpy scipy pandas sympy matplotlib yaml toml tomli tomllib tomlkit requests httpx bs4 lxml jinja2 markupsafe
    pydantic attr attrs django flask werkzeug click rich typer fastapi starlette sqlalchemy astropy erfa pytz
    dateutil six packaging setuptools pkg_resources importlib_metadata typing_extensions marshmallow pylint
    astroid sqlfluff regex chardet idna certifi urllib3 simplejson ujson orjson msgspec msgpack networkx sklearn
    skimage PIL cv2 torch tensorflow jax transformers tokenizers tiktoken nltk spacy xarray dask numba pytest
    _pytest hypothesis mock unittest sphinx docutils markdown pygments babel arrow pendulum humanize tabulate tqdm
    colorama termcolor cryptography jwt bcrypt nacl openai anthropic boto3 botocore google redis pymongo psycopg2
    celery black isort mypy ruff jsonschema referencing fsspec pyarrow polars duckdb shapely geopandas plotly
    seaborn bokeh statsmodels lark pyparsing ply parso jedi libcst tree_sitter docopt fire asgiref sqlparse
    rest_framework wrapt lazy_object_proxy platformdirs appdirs diskcache pathspec sniffio anyio trio aiohttp
    websockets gunicorn uvicorn zmq psutil distro filelock virtualenv pip wheel build tox nox coverage cachetools
    more_itertools toolz sortedcontainers blinker itsdangerous passlib oauthlib textual prompt_toolkit IPython
    jupyter nbformat xlrd openpyxl docx pypdf fitz reportlab cairo gi kivy pygame simpy gymnasium mpmath gmpy2
    cython cffi pycparser"""
)
_HUMPS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
STANDARD: Final = frozenset(sys.stdlib_module_names)

KNOWN: Final = STANDARD | LIBRARIES
"""Modules that are not of the project."""


def may_change(name: str) -> bool:
    """Tell whether the name of a function or method of a library says that it may write."""
    plain = _HUMPS.sub("_", name).lower()
    return name not in _HARMLESS and _CHANGES.search(plain) is not None
