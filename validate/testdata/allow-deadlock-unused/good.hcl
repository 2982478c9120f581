# background: pod
