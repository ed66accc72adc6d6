// Random numbers: the kernel's.
'use strict';

shared.random = (length) => {
  const bytes = new Uint8Array(length);
  const failed = native.random(bytes);
  if (failed < 0) throw host.systemError(failed, 'getrandom');
  return bytes;
};

shared.job('RandomBytesJob', (isLater, isWeb, buffer, offset, length) => {
  const at = host.bytesOf(buffer);
  if (offset + length > at.length) throw shared.outOfRange('size is out of range');
  return () => {
    // The buffer may be smaller by now, or not there any more.
    const now = host.bytesOf(buffer).subarray(offset, offset + length);
    const failed = native.random(now);
    if (failed < 0) throw host.systemError(failed, 'getrandom');
    return undefined;
  };
});

const numberOf = (bytes) => bytes.reduce((sum, byte) => sum << 8n | BigInt(byte), 0n);

shared.job('RandomPrimeJob', (isLater, isWeb, bits, isSafe, addBytes, remainderBytes) => {
  const add = addBytes === undefined ? undefined : numberOf(host.bytesOf(addBytes));
  const remainder = remainderBytes === undefined ? undefined : numberOf(host.bytesOf(remainderBytes));
  if (add !== undefined) {
    if (add !== 0n && add.toString(2).length > bits) throw shared.outOfRange('invalid options.add');
    if (remainder !== undefined && add <= remainder) throw shared.outOfRange('invalid options.rem');
  }
  return () => native.primeMake(bits, isSafe,
                                add === undefined ? undefined : shared.copied(addBytes),
                                remainder === undefined ? undefined : shared.copied(remainderBytes));
});

shared.job('CheckPrimeJob', (isLater, isWeb, candidate, checks) => {
  const bytes = shared.copied(candidate, isLater);
  return () => native.primeCheck(bytes, checks);
});

crypto.secureBuffer = (length) => host.knownRandom(new Uint8Array(length));
crypto.secureHeapUsed = () => 0n;
