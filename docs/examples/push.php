<?php
// Pushes the body of a bulk request: php push.php stories|chapters body.json
// RENSAI_URL, RENSAI_KEY_ID and RENSAI_SECRET say where to and as whom. No packages; PHP 8.
[, $kind, $file] = $argv;
$path = "/wp-json/novel/v1/ingest/$kind/bulk";
$body = file_get_contents($file);
$digest = hash('sha256', $body);
$uuid = substr_replace(bin2hex(random_bytes(16)), '4', 12, 1);
$names = [ // the same for every attempt, so that one which did arrive counts once
    'Content-Type: application/json',
    'X-Novel-Request-Id: ' . vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split($uuid, 4)),
    'Idempotency-Key: ' . hash('sha256', "$path $digest"),
];
for ($attempt = 0; $attempt < 8; $attempt++) {
    $timestamp = (string) time();
    $nonce = bin2hex(random_bytes(16)); // new for every attempt
    $base = "POST.$path.$timestamp.$nonce.$digest";
    $signed = [
        'X-Novel-Key-Id: ' . getenv('RENSAI_KEY_ID'),
        "X-Novel-Timestamp: $timestamp",
        "X-Novel-Nonce: $nonce",
        'X-Novel-Signature: ' . hash_hmac('sha256', $base, getenv('RENSAI_SECRET')),
    ];
    $http_response_header = [];
    $said = @file_get_contents(getenv('RENSAI_URL') . $path, false, stream_context_create(['http' => [
        'method' => 'POST', 'content' => $body, 'header' => array_merge($names, $signed),
        'timeout' => 60, 'ignore_errors' => true, 'follow_location' => 0,
    ]]));
    $status = (int) (explode(' ', $http_response_header[0] ?? '')[1] ?? 0); // 0: nothing came back
    if ($status >= 200 && $status < 300) exit($said . PHP_EOL);
    if ($status && !in_array($status, [408, 429, 500, 502, 503, 504])) {
        fwrite(STDERR, "$status $said" . PHP_EOL);
        exit(1);
    }
    $after = array_values(preg_grep('/^retry-after: *\d+/i', $http_response_header));
    $wait = max(min(60, 2 ** $attempt), $after ? (int) substr($after[0], 12) : 0);
    usleep((int) ($wait * random_int(1_000_000, 1_500_000)));
}
fwrite(STDERR, 'given up; keep the body and push it again later' . PHP_EOL);
exit(1);
