"""Pushes the body of a bulk request: python push.py stories|chapters body.json

RENSAI_URL, RENSAI_KEY_ID and RENSAI_SECRET say where to and as whom. Standard library alone.
"""
import hashlib, hmac, os, random, sys, time, urllib.error, urllib.request, uuid
KIND, FILE = sys.argv[1:]
URL, KEY_ID = os.environ["RENSAI_URL"], os.environ["RENSAI_KEY_ID"]
SECRET = os.environ["RENSAI_SECRET"].encode()
PATH = f"/wp-json/novel/v1/ingest/{KIND}/bulk"
with open(FILE, "rb") as file:
    body = file.read()
digest = hashlib.sha256(body).hexdigest()
names = {  # the same for every attempt, so that one which did arrive counts once
    "Content-Type": "application/json",
    "X-Novel-Request-Id": str(uuid.uuid4()),
    "Idempotency-Key": hashlib.sha256(f"{PATH} {digest}".encode()).hexdigest(),
}
for attempt in range(8):
    timestamp, nonce = str(int(time.time())), uuid.uuid4().hex  # new for every attempt
    base = f"POST.{PATH}.{timestamp}.{nonce}.{digest}".encode()
    signed = {
        "X-Novel-Key-Id": KEY_ID,
        "X-Novel-Timestamp": timestamp,
        "X-Novel-Nonce": nonce,
        "X-Novel-Signature": hmac.new(SECRET, base, hashlib.sha256).hexdigest(),
    }
    request = urllib.request.Request(URL + PATH, body, names | signed)
    wait = min(60, 2**attempt)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            print(answer.read().decode())
            sys.exit()
    except urllib.error.HTTPError as refusal:
        if refusal.code not in (408, 429, 500, 502, 503, 504):
            sys.exit(f"{refusal.code} {refusal.read().decode()}")
        wait = max(wait, int(refusal.headers.get("Retry-After") or 0))
    except OSError as problem:
        print(problem, file=sys.stderr)
    time.sleep(wait * random.uniform(1, 1.5))
sys.exit("given up; keep the body and push it again later")
