package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"syscall"

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
		"state":   {takes: []func(string) bool{isFolder}, more: true, do: script(state)},
		"given":   {takes: []func(string) bool{isMark, isRun, isSum}, do: script(given)},
		"held":    {takes: []func(string) bool{isMark, isRun}, do: script(held)},
		"kept":    {takes: []func(string) bool{isMark, isKept}, more: true, do: script(kept)},
		"records": {takes: []func(string) bool{isMark}, do: script(records)},

		"prepare": {do: (*gate).prepare},
		"remove":  {do: (*gate).remove},

		"call":   {takes: []func(string) bool{isRun, isKey, isGiven, isVerb, isText, isGiven}, do: (*gate).call},
		"extend": {takes: []func(string) bool{isRun, isKey, isGiven, isSeconds}, do: script(extend)},
		"unlock": {takes: []func(string) bool{isHolder, isText}, do: script(unlock)},
		"sweep":  {takes: []func(string) bool{isRun, isText}, do: script(sweep)},
		"mark":   {takes: []func(string) bool{isRun, isKey, isText, isSeconds, isOver}, do: script(oneByOne("take"))},
		"unmark": {takes: []func(string) bool{isRun, isKey, isOver}, do: script(oneByOne("drop"))},
	}
}

// script returns the function of a verb that runs a script with arguments, both made from those of the verb.
func script(of func(args []string) (string, []string)) func(*gate, []string, io.Writer) error {
	return func(g *gate, args []string, errs io.Writer) error {
		text, args := of(args)
		return g.script(text, args, errs)
	}
}

func extend(args []string) (string, []string) {
	return scripts.Call(args[0], args[1], args[2]), []string{"extend", args[3]}
}
func unlock(args []string) (string, []string) { return scripts.Unlock(), args }
func sweep(args []string) (string, []string)  { return scripts.Sweep(args[0]), args[1:] }

// oneByOne returns the script of marks for one of its verbs.
func oneByOne(verb string) func(args []string) (string, []string) {
	return func(args []string) (string, []string) {
		return scripts.OneByOne, append([]string{scripts.Mark(args[0], args[1]), "rocec", verb}, args[2:]...)
	}
}

func form(pattern string) func(string) bool {
	return regexp.MustCompile(`^(?:` + pattern + `)$`).MatchString
}

// The forms of arguments. Each is bounded, and begins without a dash.
var (
	isMark   = form(`rocec-[A-Z0-9]{20,40}`)
	isRun    = form(`[a-z0-9][a-z0-9-]{3,62}`)
	isKey    = form(`[a-z0-9][a-z0-9-]{0,58}`)
	isSum    = form(`[0-9a-f]{64}`)
	isGiven  = form(`([0-9a-f]{64})?`)
	isVerb   = form(`commit|confirm|undo|release|state`)
	digits   = form(`[1-9][0-9]{0,7}`)
	isOver   = form(`([a-z0-9][a-z0-9-]{3,62})?`)
	isHolder = form(`\?|[a-z0-9][a-z0-9-]{3,62}( [a-z0-9-]{1,60})?`)
	isText   = form(`([^-\pC][^\pC]{0,500})?`)
	isKept   = clean(`/var/lib/rocec/(backup/|txn-)[a-z0-9][a-z0-9-]{3,62}/[A-Za-z0-9_][A-Za-z0-9_.@:/-]{0,200}`)
	isFolder = clean(`/[A-Za-z0-9_.@:+/-]{0,300}`)
	isName   = func(name string) bool { return len(name) <= 4096 && form(`[a-z0-9]+( [A-Za-z0-9_.:/@%=,-]+)+`)(name) }
)

// clean is form for paths. A path with ".." would lead from a folder of a run to any file.
func clean(pattern string) func(string) bool {
	takes := form(pattern)
	return func(name string) bool { return takes(name) && path.Clean(name) == name }
}

func isSeconds(text string) bool {
	n, err := strconv.Atoi(text)
	return digits(text) && err == nil && n <= mostSeconds
}

// hello prints the release of the gate, and the host keys by which an order names this device.
func (g *gate) hello(_ []string, _ io.Writer) error {
	machines, err := g.machines()
	if err == nil {
		_, err = fmt.Fprintf(g.out, "gate %s %s\n", release, strings.Join(machines, " "))
	}
	return err
}

// maxFile is the largest file that rocec reads.
const maxFile = 1 << 20

// cat prints one of the files that rocec writes, and a byte more than rocec reads of a file that is too large. In a folder that others may
// change, where the file may be another name of a secret of root, cat prints only what all may read.
func (g *gate) cat(args []string, _ io.Writer) error {
	f, err := openPlain(args[0])
	if err != nil {
		return refuse("gate", "%s", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	info, err := f.Stat()
	if err == nil && info.Mode().Perm()&0o004 == 0 {
		err = g.alone(path.Dir(args[0]))
	}
	if err != nil {
		return refuse("gate", "%s", err)
	}
	_, err = io.Copy(g.out, io.LimitReader(f, maxFile+1))
	return err
}

// openPlain opens a regular file, and no symbolic link. It waits for no writer of a pipe.
func openPlain(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	return f, nil
}

// section returns a part of the script of a read, which prints one section.
func section(mark, part string) (string, []string) {
	return scripts.Read() + "B=" + mark + "\n" + part + "\n", nil
}

func given(args []string) (string, []string) { return section(args[0], "given "+args[1]+" "+args[2]) }

func state(args []string) (string, []string) {
	return scripts.Read() + "known " + strings.Join(args, " "), nil
}

func (g *gate) query(args []string, errs io.Writer) error {
	q, err := queryOf(args[1])
	if err != nil {
		return refuse("gate", "%s", err)
	}
	text, _ := section(args[0], "query "+scripts.Quote(q.Cmd)+" "+scripts.Quote(string(q.Stdin)))
	return g.script(text, nil, errs)
}

// held, kept and records print the sections of a whole answer about runs.
func held(args []string) (string, []string) {
	return scripts.Sections(scripts.Held(), args[0], "held "+args[1]+"\n"), nil
}

func kept(args []string) (string, []string) {
	return scripts.Sections(scripts.Held(), args[0], "file "+strings.Join(args[1:], "\nfile ")+"\n"), nil
}

func records(args []string) (string, []string) {
	return scripts.Sections(scripts.Held(), args[0], scripts.Records()), nil
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
	parts, err := g.parts(v)
	if err != nil {
		return err
	}
	f, _, err := g.noted(v.change.Run, true)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // until then no commit of the run begins
	payload := order.Payload(v.change.Items(parts))
	if err := g.script(scripts.Say(), []string{"run " + v.change.Run + ": its order has the signature of " + v.signer}, errs); err != nil {
		return err
	}
	return g.run(scripts.Begin(v.change.Run, v.change.Key), []string{v.change.Owner}, bytes.NewReader(payload), g.out, errs)
}

// call goes on with a run: RUN KEY DIGEST VERB WHO HEAD. A run that commits is noted first, so that its order never begins it again.
func (g *gate) call(args []string, errs io.Writer) error {
	if args[3] == "commit" {
		if err := g.use(args[0]); err != nil {
			return err
		}
	}
	return g.script(scripts.Call(args[0], args[1], args[2]), []string{args[3], "asked", args[4], args[5]}, errs)
}

// remove takes the gate away, by an order that says so. A change that waits for its confirm goes back by itself as before: the timer and
// the unit of the undo do not need the gate. The list of runs stays, because a captured order must not begin its run again at a new gate.
func (g *gate) remove(_ []string, _ io.Writer) error {
	v, err := g.order()
	if err != nil {
		return err
	}
	if !v.change.Remove {
		return refuse("unsigned", "the order does not take the gate away")
	}
	f, others, err := g.noted(v.change.Run, true)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // Sync has said it
	if err := g.note(f, others, v.change.Run); err != nil {
		return err
	}
	for _, name := range g.away {
		if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	_, err = io.WriteString(g.out, "OK\n")
	return err
}
