"""The names of `termios`. A terminal of the sandbox has no settings that a program could change, so whoever asks for them is told so, as for what is
no terminal. Packages import this for one function of many; the others go on working.
"""

REFUSED = 25, "a terminal has no settings in this sandbox; input(), sys.stdin and getpass work without them"

# The numbers are Linux's.
for pair in """
    BRKINT=2 ICRNL=256 IGNBRK=1 IGNCR=128 IGNPAR=4 INLCR=64 INPCK=16 ISTRIP=32 IXANY=2048 IXOFF=4096 IXON=1024 PARMRK=8 OPOST=1 ONLCR=4 CLOCAL=2048
    CREAD=128 CSIZE=48 CS5=0 CS6=16 CS7=32 CS8=48 CSTOPB=64 HUPCL=1024 PARENB=256 PARODD=512 ECHO=8 ECHOE=16 ECHOK=32 ECHONL=64 ICANON=2
    IEXTEN=32768 ISIG=1 NOFLSH=128 TOSTOP=256 ECHOCTL=512 VDISCARD=13 VEOF=4 VEOL=11 VERASE=2 VINTR=0 VKILL=3 VLNEXT=15 VMIN=6 VQUIT=1
    VREPRINT=12 VSTART=8 VSTOP=9 VSUSP=10 VTIME=5 VWERASE=14 NCCS=32 TCSANOW=0 TCSADRAIN=1 TCSAFLUSH=2 TCIFLUSH=0 TCOFLUSH=1 TCIOFLUSH=2
    TCOOFF=0 TCOON=1 TCIOFF=2 TCION=3 B0=0 B9600=13 B19200=14 B38400=15 B57600=4097 B115200=4098 TIOCGWINSZ=21523 TIOCSWINSZ=21524
    TIOCGPGRP=21519 TIOCSPGRP=21520 TIOCSCTTY=21518 TIOCNOTTY=21538 TIOCSTI=21522 FIONREAD=21531 TIOCINQ=21531 TIOCOUTQ=21521
    TCGETS=21505 TCSETS=21506
""".split():
    name, _, number = pair.partition("=")
    globals()[name] = int(number)
del pair, name, number


class error(Exception):
    """What upstream's functions raise: a number and a message."""


def refuse(fd, *arguments):
    raise error(*REFUSED)


tcgetattr = tcsetattr = tcdrain = tcflow = tcflush = tcsendbreak = tcgetwinsize = tcsetwinsize = refuse
