/* Functions of upstream's that `hashes.c` replaces. Included before everything else in upstream's own files. */
#pragma weak _Py_LibHacl_Hacl_Hash_SHA1_update_multi
#pragma weak _Py_LibHacl_Hacl_Hash_SHA2_sha256_update_nblocks
#pragma weak _Py_LibHacl_Hacl_Hash_SHA3_update_multi_sha3
