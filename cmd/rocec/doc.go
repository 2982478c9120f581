/*
Rocec compiles a lossless RoCE fabric, described in HCL, into the configuration of its switches and hosts, proves before
anything is pushed that it cannot freeze or drop under load, and pushes it over SSH.

	rocec init [DIR]            a small fabric that works; or one from a cabling file (--from)
	rocec fmt [-r] [PATH...]    canonical form
	rocec build [DIR] -o OUT    every file as it would lie on each device; --fold writes what devices share once
	rocec build [DIR] --lock    pins derived sizes in fabric.lock, so that a later rocec keeps them

	rocec validate [DIR]        everything that can be known without a device
	rocec validate [DIR] --device-config PATH
	                            what is wrong in files that lie on switches already
	rocec audit SOURCE...       a network that nobody has described, by the files of its devices and LLDP
	rocec diff [A [B]]          the meaning of a change: revisions, folders, files of devices, releases
	rocec show [DIR] NAME       effective settings, each with the line it came from
	rocec trace [DIR] A B       what happens to a packet from one host to another, hop by hop
	rocec graph [DIR]           the topology, a PFC loop drawn into it

	rocec collect SOURCE...     saves how devices are set, as a snapshot, from devices or from files of people
	rocec verify [DIR]          reads settings and counters back
	rocec verify --gids [DIR]   GID tables, and the index each intent must use

	rocec plan [DIR]            compares with the live devices, changes nothing
	rocec apply [DIR]           does it, in waves, verified
	rocec apply --remove HOST   sets a host back that the fabric no longer has
	rocec apply --replace DEVICE
	                            a new device in an old place
	rocec confirm RUN           keeps what apply --confirm changed
	rocec resume RUN            goes on with a run that died
	rocec resume --abandon [DEVICE...]
	                            takes away locks of runs that are over
	rocec rollback RUN          puts back what was there before a run
	rocec runs [RUN]            what was changed from this machine: who, when, why

	rocec lab VERB              acts on the devices of --lab by hand: exec, ssh, reboot, cut, reset
	rocec selftest [DIR]        asks devices what documents leave open; a text that people can send
	rocec explain [CODE | WORD] the page of a diagnostic, the meaning of a word of the output; codes by symptom
	rocec lsp                   the Language Server Protocol, for editors
	rocec help [VERB | PAGE]    the help of a verb, or a page of the manual
	rocec completion, version   shells; build info

Names of before work until 0.2 and print the new one: docs/reference.md lists them.

DIR is the fabric's folder, by default the current one; every verb takes it as -C DIR, too. With --lab, plan, apply and
verify run against every device of the fabric simulated inside the process, behind real SSH: a rehearsal that needs
nothing. The devices are kept for the next command; docs/lab.md tells how.

# The terminal

Results go to stdout; progress, diagnostics of verbs whose result is something else, and logs go to stderr. Lines begin
in lower case but for names and carry no full stop unless they are sentences. Colour only on a terminal, never the only
carrier of meaning. Nothing asks when stdin is not a terminal. Text from devices and files is escaped.
The formats of validate for CI systems (sarif, junit, github, gitlab) name files from the root of the repository; all else
names them as a person would type them.

# Exit codes

	0    good; also when there are changes, unless --detailed-exitcode
	1    the fabric has errors (or warnings with --warnings-as-errors); fmt --check found work; verify found drift;
	     trace met a hop that breaks losslessness
	2    --detailed-exitcode: there are changes
	3    machines: unreachable, login, host-key alarm, permission, disk; nothing was changed
	4    apply incomplete: some devices done, some restored, refused, or undone by gate or dead-man; the report says which
	5    locked by somebody else
	64   wrong usage
	130  interrupted

# A tour of the rooms

A fabric goes through one door after the other, each with a type of its own:

	lang      HCL in, [lang.Source] out: the fabric as written, every object with its place
	compiler  [lang.Source] in, [ir.Fabric] out: the fabric as meant; names are pointers, sizes are derived
	validate  judges an [ir.Fabric]: one check, one file; the PFC-loop proof
	          validate/walk follows packets hop by hop
	targets   an [ir.Fabric] in, a [target.Tree] out: how each device spells it
	          targets/judge is all of the above as one call
	deploy    a [target.Tree] and what devices hold in, a plan out
	          deploy/sequence puts it in order: waves, phases, what refuses it
	          deploy/rollout does it, device by device with deploy/device, as deploy/txn says
	          deploy/ssh is the wire, deploy/lab a fleet of devices for rehearsal
	picture   an [ir.Fabric] and its proofs in, a drawing out
	view      what a verb has found in, its text and its JSON out; forms has what build writes
	journal   what runs did; replay carries a plan into it and back
	session   the devices, the journal and the hooks of one command; person and globals below it are who asks, and for which fabric
	lsp       messages of an editor in, what lang and the pipeline say out

This package knows the person: flags, colours, exit codes. One verb, one file.
*/
package main
