package deploy

import "github.com/rocec/rocec/lang/diag"

// Topics are the codes under which devices are reported.
var Topics = []diag.Topic{
	topicUnread,
	topicDocumented,
	TopicUnsafe,
	TopicMixture,
	{Code: string(Unreachable), Summary: "device cannot be reached", Doc: `
There was no connection to the device, it broke, or what came back was not an answer. The device is
left as it is and named in the result; the others go on.

Example:

    $ rocec plan
    leaf3: device-unreachable: dial tcp 198.51.100.13:22: connect: connection refused

Fix: see that "ssh DEVICE" works from the same machine: rocec takes the address, port,
user and jump host from the ssh blocks of the fabric and the rest from ~/.ssh/config.
`},
	{Code: string(Login), Summary: "device does not let rocec in", Doc: `
The device answered, but nobody has vouched for its host key yet, or it accepts none of the offered
keys. rocec has no switch to ignore host keys: it writes configuration of switches, so it must know
whom it talks to.

Example: a switch that nobody has logged in to from here.

    $ rocec plan
    leaf3: device-login: nobody knows the host key of leaf3

Fix: for a new device, log in once with ssh and compare the fingerprint, or pin it in the
fabric: host_key = "SHA256:..." in its ssh block. For authentication, load the key into the agent
(ssh-add) or name it with IdentityFile in ~/.ssh/config. Where a login takes more than a key, such
as a one-time password or Kerberos, set transport = "openssh" in the ssh block.
`},
	{Code: string(HostKey), Summary: "device shows another host key than the known one", Doc: `
known_hosts, or the pin in the fabric, names a host key for this device, and it showed another one,
or one that is revoked. Either the device was installed again or replaced, or something else answers
at its address. rocec sends it nothing, and no flag changes that.

Example: a switch was installed again.

    $ ssh leaf3
    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!

Fix: find out which it is. For a device that was replaced on purpose, compare the new
fingerprint on its console, and then

    $ rocec replace leaf3
`},
	{Code: string(Permission), Summary: "login user may not do this", Doc: `
Reading and writing the settings needs root. A root login has it; any other user gets it through
"sudo -n", which never asks for a password.

Example: on the device, as the user rocec logs in with,

    $ sudo -n true
    sudo: a password is required

Fix: a line in a file of /etc/sudoers.d on the device allows it.

    cumulus ALL=(root) NOPASSWD: ALL
`},
	{Code: string(Disk), Summary: "disk of the device does not take the files", Doc: `
Every file is written beside the one it replaces, and backed up in /var/lib/rocec/backup, before
anything changes. When the device has no room for that, or its file system went read-only (usually
after a disk error), the apply stops there and leaves the device as it was.

Example: on the device,

    $ touch /var/lib/rocec/test
    touch: cannot touch '/var/lib/rocec/test': Read-only file system

Fix: free some space, or look into the kernel's log for the error, and plan again.
`},
	{Code: string(Locked), Summary: "device is locked by somebody else", Doc: `
An apply takes a lock on each device it changes: the folder /var/lib/rocec/lock, whose file owner
says who and since when. A second apply finds it and keeps its hands off. The lock never expires by
itself: a run that only looks dead could otherwise be overtaken half way.

Example: on the device,

    $ ls /var/lib/rocec/lock
    owner

Fix: wait for the other run. If it is over, its lock can be taken away; rocec unlock
says who holds it, and how far the run came, and refuses while it goes on.

    $ rocec unlock leaf3

A run that has changed the device and is not confirmed yet is confirmed or undone instead, from the
machine it was started on; one that died is brought to its end:

    $ rocec confirm RUN
    $ rocec rollback RUN
    $ rocec resume RUN
`},
	{Code: string(Stale), Summary: "device changed after the plan was made", Doc: `
The plan says "from this to that". Under the lock, just before writing, a file on the device was not
"this" any more: somebody edited it in the meantime. Writing now would silently throw that edit
away, so the device is left alone. Rollback leaves a device alone, too, where a file or the
configuration of a switch is not what the run has written.

Example: between rocec plan --out p.json and rocec apply --plan p.json somebody did, on the switch,

    $ sudo vi /etc/cumulus/datapath/traffic.conf

Fix: plan again and look at what changed.
`},
	{Code: string(Identity), Summary: "device is not what the fabric says", Doc: `
Before anything is planned rocec asks the device what it is. Here the answer contradicts the fabric:
another release, another chip, no such NIC, or settings managed by something else. Files made for
one release can keep another from starting, so the device is refused.

Example: the fabric says version = "3.7.16", and on the switch

    $ grep VERSION_ID /etc/os-release
    VERSION_ID=4.3.0

Fix: correct the fabric, or the address under which the device is reached.
`},
	{Code: string(Unlike), Summary: "device is not cabled or split as the fabric says", Doc: `
What a device is to hold follows from its ports and from what is cabled to them. Here a cable lies
elsewhere (cable-elsewhere) or a port is not there (port-missing), so that the change would rely on
what is not so, and could switch PFC on at one end of a link only. The device is left as it is, and
the others go on as with any device that cannot be changed. A device that holds what it should
already is not refused.

Example:

    $ rocec plan
    leaf03  REFUSED
      cable is not where the fabric says: leaf03:swp31 is on spine02:swp3, the fabric says
      spine01:swp3.

Fix: swap the cables, split the port, or correct the fabric; then plan again. Where the
change must not wait, and somebody has seen that it is safe:

    $ rocec apply --trust-fabric
`},
	{Code: string(Unreadable), Summary: "what lies on the device cannot be edited", Doc: `
A file is not a regular file (rocec replaces files by rename, and would cut a symbolic link), is
larger than 1 MiB, or could not be read; or a setting of the device could not be asked for. What
cannot be read cannot be compared, so the device is refused rather than overwritten.

Example: on the switch,

    $ ls -l /etc/cumulus/datapath/traffic.conf
    lrwxrwxrwx 1 root root 19 Mar  3 10:12 traffic.conf -> common.traffic.conf

Fix: put a regular file in its place, or fix what keeps it from being read; then plan
again.
`},
	{Code: string(Rejected), Summary: "checker of the device refuses the file", Doc: `
The vendor's own checker looked at the new file before it was put in place, and found fault with it.
Nothing was changed. The checker's words are in the message.

Example: the file on the switch holds a setting of somebody else that the release does not take;
rocec leaves such lines alone, and the checker refuses them with the rest.

    pfc.storage.cos_list = [9]

Fix: correct the line the checker names, in the file on the device or, if it is one of
rocec's, in the fabric; then plan again.
`},
	{Code: string(Activation), Summary: "device did not take the new settings", Doc: `
The files were put in place, but putting them to use failed: the command ended with an error, the
service did not come up in time, it logged that it does not take a setting, or what was read back
is not what was written. The device then puts the files from before back in place and to use; the
outcome says whether that worked.

Example: on the switch,

    $ systemctl status switchd
    switchd.service: Main process exited, code=exited, status=1/FAILURE

Fix: read what the command or the service said (journalctl -u switchd). Where the files
from before could not be put to use either, the device needs a person now.
`},
	{Code: string(Unhealthy), Summary: "device lost something by the change", Doc: `
The device holds and uses the new settings, but something that was there before is gone: a link that
was up, the daemon that programs the chip, a neighbour of BGP, MLAG or LLDP. Or the daemon came up
and started again soon after. rocec measures before the change and once more after the soak, over a
new login, and undoes the change when a hard signal was lost.

Example: apply says

    leaf3  restored
      leaf3: verify: swp7 was up before the change and is down

Fix: look at the device for the cause (journalctl -u switchd; ip link show swp7). Where
the loss has nothing to do with the change, apply again when it is over: what is down before a run
is not missed after it.
`},
	{Code: string(Undone), Summary: "device went back with its wave", Doc: `
The device took the new settings and lost nothing, but it was changed together with others, and
those went back: the gate found that a device beside the wave had lost a link, a neighbour or its
answer, or another device of the wave failed. A wave that is half changed would be a mixture nobody
planned, so all of it is undone. --on-failure stop keeps the devices that hold their change.

Example: apply says

    spine1  restored
      spine1: verify: leaf03 has no BGP session with swp51 any more.

Fix: find out why the other device failed, or what the device beside it has lost; then
apply again. What is on the devices is what was there before.
`},
	{Code: string(NotDrained), Summary: "drain hook failed", Doc: `
A program given with --drain did not take traffic off the devices of a wave: it ended with a status
other than zero, or did not end in time. The wave was skipped, and nothing was changed on its
devices; the program of --undrain was called for them.

Example: the program finds a job that may not be moved, and says so:

    $ rocec apply --drain ./drain.sh
    leaf3  not started
      leaf3: drain: ./drain.sh: job 4711 cannot be moved (exit status 1)

Fix: do what the program asks for, then apply again: the devices that were skipped are
the ones that still change.
`},
}

// TopicUnsafe is of devices that cannot be changed while the fabric keeps what the person wants it to keep.
var TopicUnsafe = diag.Topic{
	Code: "unsafe-change", Summary: "device cannot be changed within the rules of the order", Doc: `
Putting settings to use stops traffic at a device for a while. rocec takes such devices out of the
fabric as it is alive now, with the links, BGP sessions and MLAG peers that are down left out, and
lets a wave begin only if every pair of hosts that can talk still can, every way keeps
--min-capacity percent of its described capacity, no host loses two of its links, and no more hosts
are dark than --max-dark. This device cannot be changed so in any order, and the plan is refused.

Example: of two spines one is dead tonight, and the plan restarts the other:

    error[unsafe-change]: device cannot be changed within the rules of the order
      While spine2 passes no traffic, gpu[01-08] cannot reach gpu[09-16].

Fix: bring up what is down, and plan again. Where there is no other way (one spine, one
switch between two parts), --min-capacity 0 allows it: the plan then lists who is cut off from whom,
and for how long. --target leaves the device out.
`,
}

// TopicMixture is of settings that lose packets while old and new ones stand side by side.
var TopicMixture = diag.Topic{
	Code: "lossy-mixture", Summary: "old and new settings side by side lose packets", Doc: `
While a change goes over a fabric, some devices hold the new settings and others still the old
ones. rocec reads the old ones back from the devices and judges every link with either end old or
new: packets that hosts rely on must be in the same cos at both ends, paused by the receiver and
stopped by the sender. Where one order of the devices keeps all of that (switches before hosts,
hosts before switches that lose a class) it is taken; where none does, the plan is refused. A
device that stays as it is, because it does not answer, is under maintenance or is outside of
--target, is judged as old for good.

Example: a cos group moves from cos 3 to cos 4 and keeps its DSCP. Whichever device comes first,
its neighbour pauses a cos that the traffic is not in:

    error[lossy-mixture]: old and new settings side by side lose packets
      leaf1:swp49 (new) to spine1:swp1 (old): DSCP 26 is cos 4 at leaf1 and cos 3 at spine1, so
      the pauses of spine1 do not stop it.

Fix: give the new class a DSCP of its own, so that both can stand side by side: first
describe the new cos group beside the old one and apply that, then move the intents, then take the
old group out. For a device that stays as it is: bring it back first, or take its neighbours out of
the plan too.
`,
}

var topicUnread = diag.Topic{
	Code: "device-unread", Summary: "PFC would begin opposite a device that rocec does not read", Doc: `
A pause that the other end does not obey, or does not send, loses frames. rocec writes and reads
both ends of a link; opposite a device that others set by hand it reads one, and what the by_hand
block says of the other is not checked. So plan and apply switch PFC or link pause on at no such
port until a person vouches for it. Where the port pauses already, nothing is asked, and what rocec
build writes does not depend on it.

Example: PFC begins at the leaves, and nobody has said that the filers have it.

    host "filer" {
      by_hand {}
    }

Fix: look at the other ends, then say who did, for good; or run once with
--trust-by-hand.

    host "filer" {
      by_hand { confirmed = "storage team, ticket 4711" }
    }
`,
}
