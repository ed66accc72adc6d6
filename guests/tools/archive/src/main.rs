//! Archives and compression, all in process.

mod bzip2;
mod codec;
mod files;
mod gzip;
mod system;
mod tar;
mod unzip;
mod xz;
mod zip;
mod zipfile;
mod zstd;

codepod_tool::tools! {
    "bunzip2": bzip2::main, "decompress bzip2 files";
    "bzcat": bzip2::main, "decompress bzip2 files to standard output";
    "bzip2": bzip2::main, "compress files with bzip2";
    "gunzip": gzip::main, "decompress gzip files";
    "gzip": gzip::main, "compress files with gzip";
    "lzcat": xz::main, "decompress lzma files to standard output";
    "lzma": xz::main, "compress files with lzma";
    "tar": tar::main, "create, list and extract archives";
    "unlzma": xz::main, "decompress lzma files";
    "unxz": xz::main, "decompress xz files";
    "unzip": unzip::main, "list, test and extract zip archives";
    "unzstd": zstd::main, "decompress zstd files";
    "xz": xz::main, "compress files with xz";
    "xzcat": xz::main, "decompress xz files to standard output";
    "zcat": gzip::main, "decompress gzip files to standard output";
    "zip": zip::main, "make and change zip archives";
    "zipinfo": unzip::main, "list zip archives in detail";
    "zstd": zstd::main, "compress files with zstd";
    "zstdcat": zstd::main, "decompress zstd files to standard output";
}
