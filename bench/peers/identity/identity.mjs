// Reads phrases, one a line; answers each with what another server makes of it. Then some of its own.
import { createInterface } from 'node:readline'
import * as ed from '@noble/ed25519'
import { sha256, sha512 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { generateMnemonic, mnemonicToSeed, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'

ed.hashes.sha512 = sha512

async function identity(phrase) {
  if (!validateMnemonic(phrase, wordlist)) return { phrase, valid: false }
  const key = (await mnemonicToSeed(phrase)).slice(0, 32)
  const publicKey = ed.getPublicKey(key)
  const message = new TextEncoder().encode(phrase)
  return {
    phrase,
    valid: true,
    publicKey: bytesToHex(publicKey),
    fingerprint: bytesToHex(sha256(publicKey).slice(0, 16)),
    signature: bytesToHex(ed.sign(message, key)),
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await identity(line)))
}
for (let n = 0; n < Number(process.argv[2]); n += 1) {
  console.log(JSON.stringify(await identity(generateMnemonic(wordlist, 128))))
}
