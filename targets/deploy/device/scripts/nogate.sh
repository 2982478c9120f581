
# Takes the gate away, the line of sudoers first: who reads it half way finds no line for a program that is not there.
for f in /etc/sudoers.d/rocec-txn /etc/rocec/allowed_signers /usr/libexec/rocec-txn; do must "remove $f" rm -f "$f"; done
flush /etc/sudoers.d /etc/rocec /usr/libexec
echo OK
