"""Made-up secrets of the public token formats, and texts that look like secrets and are none.

Nothing here was ever valid.
"""

from __future__ import annotations

import base64
import json
import random
import string

_ALPHANUMERIC = string.ascii_letters + string.digits
_UPPER = string.ascii_uppercase + "234567"
_URL = _ALPHANUMERIC + "-_"
_HEX = "0123456789abcdef"


def secrets(seed: int) -> dict[str, tuple[str, str]]:
    """Return name → (a text, the secret in it)."""
    chance = random.Random(seed)

    def some(length: int, letters: str = _ALPHANUMERIC) -> str:
        # Digits and both cases, as generated passwords have: a word in letters alone is rightly left alone.
        fixed = "aK7" if letters in (_ALPHANUMERIC, _URL) else ""
        return "".join(chance.choice(letters) for _ in range(length - len(fixed))) + fixed

    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    bare = {
        "aws": "AKIA" + some(16, _UPPER),
        "github": "ghp_" + some(36),
        "github fine-grained": "github_pat_" + some(22) + "_" + some(59),
        "openai": "sk-proj-" + some(74, _URL) + "T3BlbkFJ" + some(74, _URL),
        "openai old": "sk-" + some(48),
        "anthropic": "sk-ant-api03-" + some(93, _URL) + "AA",
        "anthropic oauth": "sk-ant-oat01-" + some(93, _URL) + "AA",
        "slack": "xoxb-" + some(12, "123456789") + "-" + some(12, "123456789") + "-" + some(24),
        "jwt": f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part({'sub': some(10), 'iat': 1516239022})}.{some(43, _URL)}",
        "stripe": "sk_live_" + some(24),
        "google": "AIza" + some(35, _URL),
        "npm": "npm_" + some(36),
    }
    password, key = some(14), some(32)
    framed = {
        "key id in prose": ("The key is {}, the region is eu-west-1", "AKIA" + some(16, _UPPER)),
        "key id in an env file": ("AWS_ACCESS_KEY_ID={}\nregion=eu-west-1\n", "AKIA" + some(16, _UPPER)),
        "aws secret": ("AWS_SECRET_ACCESS_KEY={}", some(40)),
        "bearer": ("curl -H 'Authorization: Bearer {}' https://api.example.org", some(40)),
        "basic": ("Authorization: Basic {}", base64.b64encode(f"u:{some(12)}".encode()).decode()),
        "postgres": ("postgres://admin:{}@db.internal:5432/app", password),
        "mongo": ("mongodb+srv://u:{}@cluster0.internal/x", password),
        "url": ("git clone https://user:{}@git.internal/x.git", password),
        "password": ("password={}", password),
        "password quoted": ('password: "{}"', password),
        "password json": ('{{"user": "a", "password": "{}"}}', password),
        "password flag": ("mysql -u root --password={} db", password),
        "password variable": ("PGPASSWORD={} psql -h db", password),
        "api key": ("API_KEY={}", key),
        "api key hexadecimal": ("API_KEY={}", some(32, _HEX)),
        "slack hook": ("https://hooks.slack.com/services/{}", f"T{some(8, _UPPER)}/B{some(8, _UPPER)}/{some(24)}"),
        "azure": ("AccountKey={};", some(86) + "=="),
    }
    return {
        **{name: (f"before {secret} after", secret) for name, secret in bare.items()},
        **{name: (frame.format(secret), secret) for name, (frame, secret) in framed.items()},
    }


def private_key(seed: int, what: str = "RSA ") -> str:
    """Return a made-up private key block of 14 lines."""
    chance = random.Random(seed)
    lines = ["".join(chance.choice(_ALPHANUMERIC + "+/") for _ in range(64)) for _ in range(12)]
    return "\n".join([f"-----BEGIN {what}PRIVATE KEY-----", *lines, f"-----END {what}PRIVATE KEY-----"])


HARMLESS = (
    "4c1d9e7ab3f05826d1c8e4a79b6035f2e8d7c1a40f9b3e5d62a8c7f1049be3d5",
    "commit b7e09c3d15fa4826e0d19c7ba35f862410e9d7c3",
    "sha256:4c1d9e7ab3f05826d1c8e4a79b6035f2e8d7c1a40f9b3e5d62a8c7f1049be3d5",
    '"integrity": "sha512-' + base64.b64encode(random.Random(1).randbytes(64)).decode() + '"',
    "token: b7e09c3d15fa4826e0d19c7ba35f862410e9d7c3",
    "cache_token=550e8400-e29b-41d4-a716-446655440000",
    "toolu_01HqX7vRk2NpZt5LwYc8MdBe call_Xk29fJq0aLmZ81TvBn3RwEyU msg_01AbCdEfGh2JkLmNpQrStUvW req_011CSHoEyqg4b",
    "credentials = trusted_source.get_credentials2()",
    "value_token := s.accept2",
    "apiKey: process.env.OPENAI_API_KEY2",
    'password = os.environ["DB_PASSWORD1"]',
    "const token = await getToken123(user)",
    "  userPrivateKey: Uint8Array,",
    "password: str = Field(min_length=8)",
    "idToken: 'cipher-box-jwt', accessToken: 'access-123'",
    "DB_PASSWORD=postgres",
    "postgres://postgres:postgres@localhost:5432/x https://x-access-token:TOKEN@git.internal/x.git http://h:8080/a@b",
    "API_KEY=${API_KEY_V2} password=<your-password1> api_key='YOUR_API_KEY_123' Bearer $TOKEN",
    "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
    'if "-----BEGIN PRIVATE KEY-----" in text: raise ValueError("-----END PRIVATE KEY-----")',
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mo\n"
    "-----END PUBLIC KEY-----",
)
"""Texts in which nothing is to be redacted."""
