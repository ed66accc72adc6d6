#!/bin/bash
# Makes what the cases of curl send, and certificates: `bash data.sh DIRECTORY`.
set -eu
cd "$1"

seq -f 'line %g' 5 >lines
seq 40000 >large
printf '\x00\x01\xff\r\n\xfe' >binary
printf '{"from": "a file"}\n' >json
printf 'X-From: file\nX-More: yes\n' >headers
printf '%%{http_code} from a file\\n' >format
printf 'machine api.test login net password rc\n' >netrc
printf 'url = "http://api.test/anything?config"\nsilent\nheader = "X-Config: 1"\n' >config
printf '# Netscape HTTP Cookie File\napi.test\tFALSE\t/\tFALSE\t2147483000\tkept\t1\napi.test\tFALSE\t/\tFALSE\t0\tsession\t2\n' >jar

authority() { # FILE NAME
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj "/O=codepod tests/CN=$2" \
        -addext keyUsage=critical,keyCertSign,cRLSign -keyout "$1.key" -out "$1.pem" 2>/dev/null
}
certificate() { # FILE SUBJECT EXTENSIONS…
    local file=$1 subject=$2
    shift 2
    printf '%s\n' "$@" basicConstraints=critical,CA:FALSE >"$file.ext"
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "$subject" -keyout "$file.key" -out "$file.csr" 2>/dev/null
    openssl x509 -req -in "$file.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 20 -extfile "$file.ext" -out "$file.pem" 2>/dev/null
}
request() { # FILE: a key and a request for FILE.test
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1.test" -keyout "$1.key" -out "$1.csr" 2>/dev/null
    printf '%s\n' "subjectAltName=DNS:$1.test" basicConstraints=critical,CA:FALSE >"$1.ext"
}
dated() { # FILE FROM TO
    request "$1"
    : >"$1.list"
    printf '%s\n' '[ca]' default_ca=own '[own]' "database=$1.list" new_certs_dir=. rand_serial=yes default_md=sha256 \
        policy=any '[any]' commonName=supplied >"$1.conf"
    openssl ca -batch -notext -config "$1.conf" -cert ca.pem -keyfile ca.key -in "$1.csr" -startdate "$2" -enddate "$3" \
        -extfile "$1.ext" -out "$1.pem" 2>/dev/null
}
authority ca 'An authority'
authority other-ca 'Another authority'
certificate server '/O=codepod tests/CN=tls.test' subjectAltName=DNS:tls.test,DNS:mtls.test,DNS:tls.files.test extendedKeyUsage=serverAuth
certificate client '/CN=a client' extendedKeyUsage=clientAuth
cat client.pem client.key >client-both.pem
dated expired 20190101000000Z 20200101000000Z
dated early 20990101000000Z 20991231000000Z
request lonely
openssl x509 -req -in lonely.csr -signkey lonely.key -days 20 -extfile lonely.ext -out lonely.pem 2>/dev/null
request unknown
openssl x509 -req -in unknown.csr -CA other-ca.pem -CAkey other-ca.key -CAcreateserial -days 20 -extfile unknown.ext \
    -out unknown.pem 2>/dev/null
openssl x509 -in server.pem -noout -pubkey >public.pem
openssl pkey -pubin -in public.pem -outform der | openssl dgst -sha256 -binary | base64 >pin

# What nginx serves.
mkdir -p temporary www/{dir,private,up}
cp lines large www
cp large www/large.txt
echo blank >'www/a b'
echo accent >www/é
echo '<p>nothing here' >www/error.html
echo in a directory >www/dir/f
echo for you >www/private/f
echo 'user:{PLAIN}password' >passwords
find www -exec touch -d @1000000000 {} +
