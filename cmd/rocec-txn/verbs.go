package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"strings"

	"github.com/rocec/rocec/targets/deploy/device/scripts"
	"github.com/rocec/rocec/targets/deploy/order"
)

// verb is one thing that the gate does.
type verb struct {
	takes []func(string) bool // by argument
	more  bool                // further arguments are like the last
	do    func(g *gate, args []string, errs io.Writer) error
}

// verbs are all verbs. The first group only looks; prepare and remove need an order; the others go on with a run that an order began, or
// end it.
var verbs map[string]verb

func init() {
	verbs = map[string]verb{
		"hello":   {do: (*gate).hello},
		"cat":     {takes: []func(string) bool{knownPath}, do: (*gate).cat},
		"query":   {takes: []func(string) bool{isMark, isName}, do: (*gate).query},
		"state":   {takes: []func(string) bool{isFolder}, more: true, do: (*gate).stateOf},
		"given":   {takes: []func(string) bool{isMark, isRun, isSum}, do: (*gate).given},
		"held":    {takes: []func(string) bool{isMark, isRun}, do: (*gate).held},
		"kept":    {takes: []func(string) bool{isMark, isKept}, more: true, do: (*gate).kept},
		"records": {takes: []func(string) bool{isMark}, do: (*gate).records},

		"prepare": {do: (*gate).prepare},
		"remove":  {do: (*gate).remove},

		"call":   {takes: []func(string) bool{isRun, isKey, isGiven, isVerb, isText, isHead}, do: (*gate).call},
		"extend": {takes: []func(string) bool{isRun, isKey, isGiven, isSeconds}, do: (*gate).extend},
		"unlock": {takes: []func(string) bool{isHolder, isText}, do: (*gate).unlock},
		"sweep":  {takes: []func(string) bool{isRun, isText}, do: (*gate).sweep},
		"mark":   {takes: []func(string) bool{isRun, isKey, isText, isSeconds, isOver}, do: (*gate).mark},
		"unmark": {takes: []func(string) bool{isRun, isKey, isOver}, do: (*gate).unmark},
	}
}

func form(pattern string) func(string) bool {
	return regexp.MustCompile(`^(?:` + pattern + `)$`).MatchString
}

// The forms of arguments. None begins with a dash, and each is bounded.
var (
	isMark    = form(`rocec-[A-Z0-9]{20,40}`)
	isRun     = form(`[a-z0-9][a-z0-9-]{3,62}`)
	isKey     = form(`[a-z0-9][a-z0-9-]{0,58}`)
	isSum     = form(`[0-9a-f]{64}`)
	isGiven   = form(`([0-9a-f]{64})?`)
	isHead    = form(`([0-9a-f]{64})?`)
	isVerb    = form(`commit|confirm|undo|release|state`)
	isSeconds = form(`[1-9][0-9]{0,7}`)
	isOver    = form(`([a-z0-9][a-z0-9-]{3,62})?`)
	isHolder  = form(`\?|[a-z0-9][a-z0-9-]{3,62}( [a-z0-9-]{1,60})?`)
	isText    = form(`([^-\pC][^\pC]{0,500})?`)
	isKept    = form(`/var/lib/rocec/(backup/[a-z0-9][a-z0-9-]{3,62}|txn-[a-z0-9][a-z0-9-]{3,62})/(live/)?[A-Za-z0-9_][A-Za-z0-9_.@:/-]{0,200}`)
	folder    = form(`/[A-Za-z0-9_.@:+/-]{0,300}`)
	isName    = func(name string) bool { return len(name) <= 4096 && form(`[a-z0-9]+( [A-Za-z0-9_.:/@%=,-]+)+`)(name) }
)

func isFolder(name string) bool { return folder(name) && path.Clean(name) == name }

// hello prints the release of the gate, and the host keys by which an order names this device.
func (g *gate) hello(_ []string, _ io.Writer) error {
	machines, err := g.machines()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(g.out, "gate %s %s\n", release, strings.Join(machines, " "))
	return err
}

// maxFile is the largest file that rocec reads.
const maxFile = 1 << 20

// cat prints one of the files that rocec writes, and a byte more than rocec reads of a file that is too large.
func (g *gate) cat(args []string, _ io.Writer) error {
	f, err := openPlain(args[0])
	if err != nil {
		return refuse("gate", "%s", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	_, err = io.Copy(g.out, io.LimitReader(f, maxFile+1))
	return err
}

// openPlain opens a regular file, and no symbolic link.
func openPlain(name string) (*os.File, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		_ = f.Close()
		return nil, fmt.Errorf("%s changes", name)
	}
	return f, nil
}

// look runs a part of the script of a read. It prints one section.
func (g *gate) look(mark, part string, errs io.Writer) error {
	return g.script(scripts.Read()+"B="+mark+"\n"+part+"\n", nil, errs)
}

func (g *gate) query(args []string, errs io.Writer) error {
	q, err := queryOf(args[1])
	if err != nil {
		return refuse("gate", "%s", err)
	}
	return g.look(args[0], "query "+scripts.Quote(q.Cmd)+" "+scripts.Quote(string(q.Stdin)), errs)
}

func (g *gate) stateOf(args []string, errs io.Writer) error {
	return g.script(scripts.Read()+"known "+strings.Join(args, " "), nil, errs)
}

func (g *gate) given(args []string, errs io.Writer) error {
	return g.look(args[0], "given "+args[1]+" "+args[2], errs)
}

// sections runs parts of the scripts about runs, to the last line of a whole answer.
func (g *gate) sections(mark, part string, errs io.Writer) error {
	return g.script(scripts.Held()+"B="+mark+"\n{\n"+part+"\necho \"$B OK\"\n} | tail -c +1\n", nil, errs)
}

func (g *gate) held(args []string, errs io.Writer) error {
	return g.sections(args[0], "held "+args[1], errs)
}

func (g *gate) kept(args []string, errs io.Writer) error {
	var b strings.Builder
	for _, name := range args[1:] {
		b.WriteString("file " + name + "\n")
	}
	return g.sections(args[0], b.String(), errs)
}

func (g *gate) records(args []string, errs io.Writer) error {
	return g.sections(args[0], scripts.Records(), errs)
}

// prepare takes the lock for a run that a person has signed, and writes all that the run needs beside the files.
func (g *gate) prepare(_ []string, errs io.Writer) error {
	v, err := g.order()
	if err != nil {
		return err
	}
	if v.change.Remove {
		return refuse("unsigned", "the order takes the gate away, and prepares nothing")
	}
	if err := g.fresh(v.change.Run); err != nil {
		return err
	}
	parts, err := g.parts(v)
	if err != nil {
		return err
	}
	payload := order.Payload(v.change.Items(parts))
	return g.run(scripts.Begin(v.change.Run, v.change.Key), []string{v.envelope.Owner}, bytes.NewReader(payload), g.out, errs)
}

// call goes on with a run. A run that commits is noted first, so that its order never begins it again.
func (g *gate) call(args []string, errs io.Writer) error {
	run, key, digest, verb, who, head := args[0], args[1], args[2], args[3], args[4], args[5]
	if verb == "commit" {
		if err := g.use(run); err != nil {
			return err
		}
	}
	return g.script(scripts.Call(run, key, digest), []string{verb, "asked", who, head}, errs)
}

func (g *gate) extend(args []string, errs io.Writer) error {
	return g.script(scripts.Call(args[0], args[1], args[2]), []string{"extend", args[3]}, errs)
}

func (g *gate) unlock(args []string, errs io.Writer) error {
	return g.script(scripts.Unlock(), args, errs)
}

func (g *gate) sweep(args []string, errs io.Writer) error {
	return g.script(scripts.Sweep(args[0]), args[1:], errs)
}

func (g *gate) mark(args []string, errs io.Writer) error {
	return g.script(scripts.OneByOne, append([]string{scripts.Mark(args[0], args[1]), "rocec", "take"}, args[2:]...), errs)
}

func (g *gate) unmark(args []string, errs io.Writer) error {
	return g.script(scripts.OneByOne, []string{scripts.Mark(args[0], args[1]), "rocec", "drop", args[2]}, errs)
}

// remove takes the gate away, by an order that says so. A change that waits for its confirm goes back by itself as before, because the
// timer and the unit of the undo do not need the gate.
func (g *gate) remove(_ []string, _ io.Writer) error {
	v, err := g.order()
	if err != nil {
		return err
	}
	if !v.change.Remove {
		return refuse("unsigned", "the order does not take the gate away")
	}
	for _, name := range g.away {
		if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	_, err = io.WriteString(g.out, "OK\n")
	return err
}
