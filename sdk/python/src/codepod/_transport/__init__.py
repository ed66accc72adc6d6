"""Ways to a server: a process of our own over pipes, or HTTP; blocking and asynchronous."""
