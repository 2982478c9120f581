#!/bin/sh
# Runs a device that is switched on: mounts its disk and boots it. It is PID 1 of a PID namespace, so that all ends with it, and has
# a mount and a network namespace, so that nothing else pins the disk. A clean reboot, which systemd-nspawn reports by status 133,
# keeps disk and network. Its journal is committed when a program asks for it, not every few seconds: what a power cut takes does not
# depend on how fast the machine is.
# shellcheck disable=SC2086 # lists of words
set -eu
slot=$1 group=$2 disk=$3 usr=$4 sysfs=$5 ports=$6 groups=$7
mount --make-rprivate /
mount -t proc proc /proc
for dir in $groups; do
	mkdir -p "$dir/$group"
	echo 0 >"$dir/$group/cgroup.procs"
done
# An error of the file system stops its journal, and a power cut then leaves what -p does not repair: the operator says yes to all of it.
e2fsck -p "$disk" >/dev/null || [ $? -le 1 ] || e2fsck -y "$disk" >/dev/null || [ $? -le 1 ]
mount -o loop,noauto_da_alloc,commit=3600,errors=remount-ro "$disk" "$slot/root"
if [ -d "$slot/seed" ]; then
	cp -R "$slot/seed/." "$slot/root/"
	for home in "$slot/root/home"/*; do chown -R --reference="$home" "$home"; done
	chmod -R go= "$slot/root/root/.ssh"
	rm -r "$slot/seed"
	sync -f "$slot/root"
fi
mkdir -p /run/systemd/nspawn
mount -t tmpfs none /run/systemd/nspawn
ip link set lo up
for port in $ports; do
	ip link add "${port%:*}" mtu "${port#*:}" type veth peer name "peer-${port%:*}" mtu "${port#*:}"
	ip link set "${port%:*}" up
	ip link set "peer-${port%:*}" up
done
while :; do
	status=0
	NOTIFY_SOCKET=$slot/notify SYSTEMD_LOG_TARGET=console SYSTEMD_NSPAWN_API_VFS_WRITABLE=$sysfs \
		systemd-nspawn --quiet --boot --directory="$slot/root" --machine="$group" --register=no --keep-unit --notify-ready=yes \
		--console=read-only --link-journal=no --resolv-conf=off --timezone=off \
		--network-namespace-path=/proc/self/ns/net --capability=CAP_NET_ADMIN \
		--setenv=SYSTEMD_COLORS=no --setenv=SYSTEMD_DEVICE_VERIFY_SYSFS=no \
		$usr --bind="$slot/shared:/run/rocec-test" || status=$?
	[ "$status" = 133 ] || exit "$status"
done
