# Saves the running configuration: a restart of the switch takes back what is not saved. It may run twice.
out=$(config save -y 2>&1) || fail "config save: $out"
