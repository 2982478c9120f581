/*
Rocec compiles a lossless RoCE fabric, described in HCL, into the configuration of its switches and hosts, proves before
anything is pushed that it cannot freeze or drop under load, and pushes it over SSH.

	rocec init [DIR]            a small example, a shape, or a draft from files of a network (--from)
	rocec fmt [-r] [PATH...]    brings fabric files into canonical form
	rocec build [DIR] -o OUT    writes the files of every device; --fold writes shared files once
	rocec build [DIR] --lock    pins derived sizes in fabric.lock, so that a later rocec keeps them

	rocec validate [DIR]        judges a fabric without a device
	rocec validate [DIR] --device-config PATH
	                            judges files of devices
	rocec audit SOURCE...       judges a running network by the files of its devices and LLDP
	rocec diff [A [B]]          prints the effect of a change: revisions, folders, files of devices, releases
	rocec show [DIR] NAME       shows effective settings, each with the line it came from
	rocec trace [DIR] A B       follows a packet from one host to another, hop by hop
	rocec graph [DIR]           draws the topology, with a PFC loop in it
	rocec whatif [DIR]          simulates the flows of a PFC loop, or an incast

	rocec collect SOURCE...     saves the settings of devices as a snapshot
	rocec verify [DIR]          reads settings and counters, and compares them with the fabric
	rocec verify --gids [DIR]   prints GID tables, and the index that each intent must use
	rocec storm [DIR]           finds the port where pauses begin, live, in snapshots or in Prometheus

	rocec plan [DIR]            compares with the live devices, changes nothing
	rocec approve PLAN          signs a saved plan, for apply --plan
	rocec gate [DIR]            lists, installs or removes the gate of devices, which takes only signed runs
	rocec apply [DIR]           makes the changes that plan shows, in waves, and verifies them
	rocec apply --remove HOST   sets a host back that the fabric no longer has
	rocec apply --replace DEVICE
	                            applies to a device that was replaced
	rocec confirm RUN           keeps what apply --confirm changed
	rocec resume RUN            goes on with a run that died
	rocec resume --abandon [DEVICE...]
	                            removes locks of runs that are over
	rocec rollback RUN          restores the content from before a run
	rocec runs [RUN]            lists the runs started on this machine: who, when, why
	rocec VERB --team           plan, approve, apply, confirm, resume, rollback and runs with the sites of a team, which do the work

	rocec lab VERB              acts on the devices of --lab by hand: exec, ssh, reboot, cut, reset
	rocec selftest [DIR]        asks devices for facts that documents lack, and proves that they do what is written
	rocec explain [CODE | WORD] prints the page of a diagnostic, or the meaning of a word of the output
	rocec lsp                   speaks the Language Server Protocol, for editors
	rocec help [VERB | PAGE]    prints the help of a verb, or a page of the manual
	rocec completion, version   completion scripts of shells; the version and build

Former names work until 0.2 and print the new name: docs/reference.md lists them.

DIR is the fabric's folder, by default the current one; every verb accepts it as -C DIR, too. With --lab, plan, apply and
verify use devices that are simulated inside the process, behind real SSH: a rehearsal without any device. The devices are
kept for the next command; see docs/lab.md.

# The terminal

Results go to stdout. Progress and logs go to stderr, and so do diagnostics that are not the result of the verb. A line
that is not a sentence begins in lower case, except for names, and has no full stop. Colour is used only on a terminal,
and no meaning depends on it. No verb asks if stdin is not a terminal. Text from devices and files is escaped. The formats
of validate for CI systems (sarif, junit, github, gitlab) name files from the root of the repository; all other output
names them as a person would type them.

# Exit codes

	0    good; also if there are changes, without --detailed-exitcode
	1    the fabric has errors (or warnings with --warnings-as-errors); fmt --check found unformatted files; verify found drift;
	     trace found a hop that breaks losslessness; storm found or suspects one
	2    --detailed-exitcode: there are changes
	3    a machine failed: unreachable, login, host-key alarm, permission, disk; nothing was changed
	4    apply incomplete: some devices are changed, others were restored, refused, or undone by gate or dead-man; the output lists them
	5    locked by another run or person
	64   wrong usage
	130  interrupted

# A tour of the packages

A fabric passes these packages in turn. Each has its own type:

	lang      turns HCL into a [lang.Source]: the fabric as written, every object with its place
	compiler  turns a [lang.Source] into an [ir.Fabric]: names become pointers, sizes are derived
	validate  judges an [ir.Fabric]: one file per check; the PFC-loop proof
	          validate/walk follows packets hop by hop; validate/sim simulates traffic
	targets   turns an [ir.Fabric] into a [target.Tree]: the files of each device
	          targets/judge runs all of the above in one call
	deploy    compares a [target.Tree] with the content of devices, and returns a plan
	          deploy/sequence orders the plan: waves, phases, refusals
	          deploy/rollout carries it out, device by device with deploy/device, by the transitions in deploy/txn
	          deploy/ssh connects to devices; deploy/lab simulates them for a rehearsal
	picture   draws an [ir.Fabric] and its proofs
	view      turns the findings of a verb into text and JSON; forms has the output of build
	journal   records the changes of runs; replay writes a plan into it and reads it back
	session   the devices, the journal and the hooks of one command; person and globals have its user and fabric
	lsp       answers messages of an editor with the results of lang and the pipeline

This package has everything about the person: flags, colours, exit codes. Each verb has one file.
*/
package main
