
# Puts the gate on the device: SUM SIGNERS USER. Stdin is the program. All files come in place at the end, by rename, the line of sudoers last.
sum=$1 signers=$2 user=$3
gate=/usr/libexec/rocec-txn
list=/etc/rocec/allowed_signers
rule=/etc/sudoers.d/rocec-txn
umask 022
for d in /usr/libexec /etc/rocec /etc/sudoers.d; do
	[ -d "$d" ] || must "create $d" mkdir -p "$d"
	trusted "$d" || fail foreign "others than root may write to $d: make it root's, and run chmod go-w $d on the device"
done
[ -d /etc/ssh ] || fail gate 'the device has no /etc/ssh, so no host key by which an order names it'
command -v visudo >/dev/null || fail gate 'the device has no visudo, so the line of sudoers cannot be checked'
fresh=/etc/sudoers.d/.rocec-txn.new # sudo reads no file with a dot in its name
must "write $gate.new" rm -f "$gate.new" "$list.new" "$fresh"
cat >"$gate.new" || fail no-space "cannot write $gate.new"
hash=$(sha256sum <"$gate.new")
[ "${hash%% *}" = "$sum" ] || fail truncated 'the program did not arrive as it was'
printf '%s\n' "$signers" >"$list.new" || fail no-space "cannot write $list.new"
printf '# rocec: this login runs the gate as root, and nothing else by this line.\n%s ALL=(root) NOPASSWD: %s\n' "$user" "$gate" >"$fresh" ||
	fail no-space "cannot write $fresh"
must "protect $gate.new" chmod 755 "$gate.new"
must "protect $list.new" chmod 644 "$list.new"
must "protect $fresh" chmod 440 "$fresh"
said=$("$gate.new" hello 2>&1) || fail gate "the program does not run on this device: $said"
said=$(visudo -cf "$fresh" 2>&1) || fail gate "visudo refuses the line of sudoers: $said"
must "write $gate" flush "$gate.new" "$list.new" "$fresh"
must "write $list" mv -f "$list.new" "$list"
must "write $gate" mv -f "$gate.new" "$gate"
must "write $rule" mv -f "$fresh" "$rule"
must "write $rule" flush /usr/libexec /etc/rocec /etc/sudoers.d
echo OK
