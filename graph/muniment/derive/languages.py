"""Languages: which grammar reads a file, and which of its syntax nodes are definitions.

* A query captures the definition's whole node under the name of what it is (`function`, `class`, `type`, `constant`,
  `key`, `heading`, `test`), its name as `@name`, and, where it stands beside the name, its owner as `@owner`. A node
  captured as `scope` gives its name to what lies in it and is no definition itself.
* Grammars are the languages' own packages; each is loaded when the first file of its language is met.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import msgspec
import tree_sitter_c
import tree_sitter_cpp
import tree_sitter_go
import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_json
import tree_sitter_markdown
import tree_sitter_python
import tree_sitter_rust
import tree_sitter_toml
import tree_sitter_typescript
import tree_sitter_yaml
from tree_sitter import Language, Parser, Query


class Grammar(msgspec.Struct, frozen=True):
    """How one language is read. `wrappers`: nodes around a definition that belong to it (decorators, `export`)."""

    parser: Parser
    query: Query
    wrappers: frozenset[str]
    deepest: int
    """How many levels of definitions inside one another are told; 0 is any number."""


_PYTHON: Final = """
(class_definition name: (identifier) @name) @class
((function_definition name: (identifier) @name) @function (#not-match? @name "^test_"))
((function_definition name: (identifier) @name) @test (#match? @name "^test_"))
(module (expression_statement (assignment left: (identifier) @name)) @constant (#match? @name "^[A-Z_][A-Z0-9_]+$"))
"""
_C: Final = """
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @function
(function_definition declarator: (pointer_declarator
  declarator: (function_declarator declarator: (identifier) @name))) @function
(struct_specifier name: (type_identifier) @name body: (_)) @type
(union_specifier name: (type_identifier) @name body: (_)) @type
(enum_specifier name: (type_identifier) @name body: (_)) @type
(type_definition declarator: (type_identifier) @name) @type
(preproc_def name: (identifier) @name) @constant
(preproc_function_def name: (identifier) @name) @function
"""
_CPP: Final = (
    _C
    + """
(class_specifier name: (type_identifier) @name body: (_)) @class
(namespace_definition name: (namespace_identifier) @name) @scope
(function_definition declarator: (function_declarator
  declarator: [(field_identifier) (qualified_identifier) (destructor_name) (operator_name)] @name)) @function
(function_definition declarator: (reference_declarator
  (function_declarator declarator: [(identifier) (field_identifier) (qualified_identifier)] @name))) @function
((function_definition declarator: (function_declarator declarator: (identifier) @macro parameters: (_) @name)) @test
 (#match? @macro "^(TYPED_)?TEST(_F|_P)?$"))
"""
)
_GO: Final = """
((function_declaration name: (identifier) @name) @function (#not-match? @name "^(Test|Benchmark|Fuzz)[^a-z]"))
((function_declaration name: (identifier) @name) @test (#match? @name "^(Test|Benchmark|Fuzz)[^a-z]"))
(method_declaration receiver: (parameter_list (parameter_declaration
  type: [(type_identifier) @owner (pointer_type (type_identifier) @owner)
         (generic_type type: (type_identifier) @owner)
         (pointer_type (generic_type type: (type_identifier) @owner))]))
  name: (field_identifier) @name) @function
(type_declaration (type_spec name: (type_identifier) @name) @type)
(source_file (const_declaration (const_spec name: (identifier) @name) @constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @constant))
"""
_JAVA: Final = """
(class_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @type
(enum_declaration name: (identifier) @name) @type
(record_declaration name: (identifier) @name) @class
(annotation_type_declaration name: (identifier) @name) @type
(constructor_declaration name: (identifier) @name) @function
(method_declaration name: (identifier) @name) @function
((method_declaration (modifiers [(marker_annotation name: (_) @mark) (annotation name: (_) @mark)])
  name: (identifier) @name) @test (#any-of? @mark "Test" "ParameterizedTest" "RepeatedTest" "TestFactory" "Property"))
"""
_JAVASCRIPT: Final = """
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(class_declaration name: (_) @name) @class
(method_definition name: (_) @name) @function
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)]) @function
(program (lexical_declaration (variable_declarator name: (identifier) @name
  value: [(object) (array) (call_expression) (new_expression) (string) (number) (template_string)]) @constant))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name
  value: [(object) (array) (call_expression) (new_expression) (string) (number) (template_string)]) @constant)))
((call_expression function: [(identifier) @call (member_expression object: (identifier) @call)]
  arguments: (arguments . [(string) (template_string)] @name)) @test
 (#any-of? @call "describe" "it" "test" "context" "suite"))
"""
_TYPESCRIPT: Final = (
    _JAVASCRIPT
    + """
(abstract_class_declaration name: (type_identifier) @name) @class
(interface_declaration name: (type_identifier) @name) @type
(type_alias_declaration name: (type_identifier) @name) @type
(enum_declaration name: (identifier) @name) @type
(abstract_method_signature name: (property_identifier) @name) @function
(public_field_definition name: (property_identifier) @name value: (arrow_function)) @function
(internal_module name: (_) @name) @scope
"""
)
_RUST: Final = """
(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
((attribute_item (attribute) @mark) . (function_item name: (identifier) @name) @test (#match? @mark "(^|::)test"))
(struct_item name: (type_identifier) @name) @type
(enum_item name: (type_identifier) @name) @type
(union_item name: (type_identifier) @name) @type
(trait_item name: (type_identifier) @name) @type
(type_item name: (type_identifier) @name) @type
(impl_item type: [(type_identifier) @name (generic_type type: (type_identifier) @name)]) @scope
(mod_item name: (identifier) @name body: (_)) @scope
(macro_definition name: (identifier) @name) @function
(const_item name: (identifier) @name) @constant
(static_item name: (identifier) @name) @constant
"""
_JSON: Final = "(pair key: (string (string_content) @name)) @key"
_TOML: Final = """
(table [(bare_key) (quoted_key) (dotted_key)] @name) @key
(table_array_element [(bare_key) (quoted_key) (dotted_key)] @name) @key
(pair [(bare_key) (quoted_key) (dotted_key)] @name) @key
"""
_YAML: Final = "(block_mapping_pair key: (flow_node) @name) @key"
_MARKDOWN: Final = """
(section . (atx_heading heading_content: (inline) @name)) @heading
(setext_heading heading_content: (paragraph) @name) @heading
"""

_EXTENSIONS: Final[dict[str, str]] = {
    **dict.fromkeys(("py", "pyi"), "python"),
    **dict.fromkeys(("js", "jsx", "mjs", "cjs"), "javascript"),
    **dict.fromkeys(("ts", "mts", "cts"), "typescript"),
    "tsx": "tsx",
    "go": "go",
    "rs": "rust",
    "java": "java",
    "c": "c",
    **dict.fromkeys(("h", "cc", "cpp", "cxx", "hh", "hpp", "hxx"), "cpp"),
    **dict.fromkeys(("json", "jsonc"), "json"),
    "toml": "toml",
    **dict.fromkeys(("yaml", "yml"), "yaml"),
    **dict.fromkeys(("md", "markdown"), "markdown"),
}
_SOURCES: Final = {
    "python": (tree_sitter_python.language, _PYTHON),
    "javascript": (tree_sitter_javascript.language, _JAVASCRIPT),
    "typescript": (tree_sitter_typescript.language_typescript, _TYPESCRIPT),
    "tsx": (tree_sitter_typescript.language_tsx, _TYPESCRIPT),
    "go": (tree_sitter_go.language, _GO),
    "rust": (tree_sitter_rust.language, _RUST),
    "java": (tree_sitter_java.language, _JAVA),
    "c": (tree_sitter_c.language, _C),
    "cpp": (tree_sitter_cpp.language, _CPP),
    "json": (tree_sitter_json.language, _JSON),
    "toml": (tree_sitter_toml.language, _TOML),
    "yaml": (tree_sitter_yaml.language, _YAML),
    "markdown": (tree_sitter_markdown.language, _MARKDOWN),
}
_WRAPPERS: Final = frozenset({"decorated_definition", "export_statement", "template_declaration"})
_DATA: Final = frozenset({"json", "toml", "yaml"})
_LEVELS_OF_DATA: Final = 2


def language_of(path: str) -> str | None:
    """Return the language of a file by its name's ending, None where there is no grammar for it."""
    _, dot, ending = path.rpartition(".")
    return _EXTENSIONS.get(ending.lower()) if dot else None


@lru_cache(maxsize=len(_SOURCES))
def grammar(language: str) -> Grammar:
    """Return how a language is read.

    Raises:
        KeyError: `language_of` never returned this one.
    """
    make, query = _SOURCES[language]
    loaded = Language(make())
    return Grammar(Parser(loaded), Query(loaded, query), _WRAPPERS, _LEVELS_OF_DATA if language in _DATA else 0)
