package unix

import (
	"maps"
	"time"
)

// programs returns the programs of a device, by path.
var programs = map[string]Command{
	"/usr/bin/[":         cmdTest,
	"/usr/bin/cat":       cmdCat,
	"/usr/bin/chmod":     cmdChmod,
	"/usr/bin/chown":     cmdChown,
	"/usr/bin/cmp":       cmdCmp,
	"/usr/bin/cp":        cmdCp,
	"/usr/bin/cut":       cmdCut,
	"/usr/bin/date":      cmdDate,
	"/usr/bin/df":        cmdDf,
	"/usr/bin/echo":      cmdEcho,
	"/usr/bin/env":       cmdEnv,
	"/usr/bin/false":     cmdFalse,
	"/usr/bin/flock":     cmdFlock,
	"/usr/bin/grep":      cmdGrep,
	"/usr/bin/head":      cmdHead,
	"/usr/bin/hostname":  cmdHostname,
	"/usr/bin/id":        cmdID,
	"/usr/bin/kill":      cmdKill,
	"/usr/bin/ln":        cmdLn,
	"/usr/bin/ls":        cmdLs,
	"/usr/bin/mkdir":     cmdMkdir,
	"/usr/bin/mv":        cmdMv,
	"/usr/bin/nohup":     cmdNohup,
	"/usr/bin/printf":    cmdPrintf,
	"/usr/bin/pwd":       cmdPwd,
	"/usr/bin/readlink":  cmdReadlink,
	"/usr/bin/rm":        cmdRm,
	"/usr/bin/rmdir":     cmdRmdir,
	"/usr/bin/setsid":    cmdSetsid,
	"/usr/bin/sh":        cmdSh,
	"/usr/bin/sha256sum": cmdSha256sum,
	"/usr/bin/sleep":     cmdSleep,
	"/usr/bin/sort":      cmdSort,
	"/usr/bin/stat":      cmdStat,
	"/usr/bin/sudo":      cmdSudo,
	"/usr/bin/sync":      cmdSync,
	"/usr/bin/tail":      cmdTail,
	"/usr/bin/tee":       cmdTee,
	"/usr/bin/test":      cmdTest,
	"/usr/bin/timeout":   cmdTimeout,
	"/usr/bin/touch":     cmdTouch,
	"/usr/bin/tr":        cmdTr,
	"/usr/bin/true":      cmdTrue,
	"/usr/bin/uname":     cmdUname,
	"/usr/bin/wc":        cmdWc,
}

// New returns a machine without power and with an empty disk. Its clock begins at the given time.
func New(s System, at time.Duration, h Hooks) *Machine {
	m := &Machine{System: s, FS: NewFileSystem(), Clock: newClock(at), hooks: h, off: true}
	m.programs = maps.Clone(programs)
	m.sh, m.script = cmdSh, runScript
	m.procs = processes{last: 1000, byPid: map[int]*Process{}}
	return m
}
