# Sourced by ../interoperation.sh: archives and compressed files, both ways.
mkdir -p tree/sub
seq 1 20000 > tree/numbers
head -c 100000 /dev/urandom > tree/sub/random
: > tree/empty
ln -s numbers tree/link
ln tree/numbers tree/hard

inside 'for option in "" z j J -zstd; do tar -c$(case $option in -*) ;; *) echo "$option" ;; esac)f "in$option.tar" $(
    case $option in -*) echo "-$option" ;; esac) tree || echo "tar $option"; done
    tar --format=pax -cf inpax.tar tree
    for tool in gzip bzip2 xz zstd; do $tool -c < tree/numbers > "in.$tool"; done
    zip -qry in.zip tree; zip -qry -Z bzip2 inb.zip tree; zip -qry -P secret ine.zip tree
    zip -qr - tree | cat > ins.zip; zip -q in.zip tree/numbers; zip -qd inb.zip tree/empty; zip -q inb.zip tree/empty'
for name in in inz inj inJ in-zstd inpax; do
    check "$name.tar outside" bash -c "rm -rf back && mkdir back && tar xf $name.tar -C back && diff -r tree back/tree"
done
for tool in gzip bzip2 xz zstd; do
    check "$tool outside" bash -c "$tool -dc < in.$tool | cmp - tree/numbers"
    $tool -c < tree/numbers > "out.$tool"
done

tar cf out.tar tree; tar czf outz.tar tree; tar cjf outj.tar tree; tar cJf outJ.tar tree; tar --zstd -cf outs.tar tree
tar --format=pax -cf outp.tar tree
check 'zip tests in.zip' zip -T in.zip
for name in in inb ine ins; do
    check "$name.zip outside" bash -c "rm -rf back && mkdir back && unzip -q -P secret $name.zip -d back && diff -r tree back/tree"
done

zip -qry out.zip tree; zip -qry -Z bzip2 outb.zip tree; zip -qry -P secret oute.zip tree; zip -qr - tree | cat > outs.zip
sums=$(cd tree && md5sum numbers sub/random empty hard)
for name in out outz outj outJ outs outp; do
    rm -rf inner; mkdir inner
    inside "tar xf $name.tar -C inner" || failed=1
    check "$name.tar inside" bash -c "cd inner/tree && md5sum -c --quiet <<< '$sums' && [ \"\$(readlink link)\" = numbers ]"
done
for name in out outb oute outs; do
    rm -rf inner; mkdir inner
    inside "unzip -q -P secret $name.zip -d inner" || failed=1
    check "$name.zip inside" bash -c "diff -r tree inner/tree"
    inside "zip -q -P secret $name.zip tree/numbers" || failed=1
    check "$name.zip changed inside" bash -c "rm -rf back && mkdir back && unzip -q -P secret $name.zip -d back && diff -r tree back/tree"
done
for tool in gzip bzip2 xz zstd; do
    inside "$tool -dc < out.$tool > plain" || failed=1
    check "$tool inside" cmp plain tree/numbers
done
