//! The module of the small tools.

use codepod_utilities::{
    col, colrm, column, dos2unix, envsubst, getconf, getent, getopt, hexdump, iconv, locale, look,
    lsb_release, openssl, pager, pv, screen, sponge, strings, tree, uuid, which, xxd,
};

codepod_tool::tools! {
    "clear": screen::clear, "clear the screen";
    "col": col::main, "text without movements back and up";
    "colrm": colrm::main, "lines without some columns";
    "column": column::main, "lines as columns or as a table";
    "dos2unix": dos2unix::dos2unix, "give files the line ends of Unix";
    "envsubst": envsubst::main, "put variables of the environment into a text";
    "getconf": getconf::main, "print limits and options of the system";
    "getent": getent::main, "print entries of the lists of users, groups and hosts";
    "getopt": getopt::main, "read the options of a script";
    "hd": hexdump::main, "dump in hexadecimal";
    "hexdump": hexdump::main, "dump in hexadecimal, decimal, octal or as text";
    "iconv": iconv::main, "convert text from one character set to another";
    "less": pager::main, "show text a screen at a time";
    "locale": locale::main, "print what the locale is and says";
    "look": look::main, "print lines that begin with a text";
    "lsb_release": lsb_release::main, "print which system this is";
    "mac2unix": dos2unix::mac2unix, "give files of the old Mac the line ends of Unix";
    "mcookie": uuid::mcookie, "print a random number of 128 bits";
    "more": pager::main, "show text a screen at a time";
    "openssl": openssl::main, "hashes, random bytes and base 64 of OpenSSL";
    "pv": pv::main, "copy input to output and tell how far it is";
    "reset": screen::reset, "set the terminal to its initial state";
    "sponge": sponge::main, "read all input, then write it to a file";
    "strings": strings::main, "print the printable runs in files";
    "tput": screen::tput, "print what the terminal understands";
    "tree": tree::main, "list directories as a tree";
    "unix2dos": dos2unix::unix2dos, "give files the line ends of DOS and Windows";
    "unix2mac": dos2unix::unix2mac, "give files the line ends of the old Mac";
    "uuidgen": uuid::uuidgen, "make a UUID";
    "which": which::main, "where commands are";
    "xxd": xxd::main, "dump in hexadecimal, and back";
}
