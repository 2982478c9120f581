package deploy

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// Have is what one device was found to hold.
type Have struct {
	Device  *target.Device
	Err     *Error    // the device could not be read; everything below is empty then
	Wrong   []string  // Identity's judgement: why this is not the device the fabric means
	Files   []Content // in the order of Device.Files
	Lock    *Owner    // who is changing the device right now; nil: nobody
	Pending []string  // files that an apply put in place and never saw in use
	Probes  []Judged  // in the order of Device.Probes, when they were asked for
}

// Content is what was found in the place of one file.
type Content struct {
	Data   []byte // nil: there is no file; empty: there is an empty one
	Reason string // why it could not be read; empty: it was
}

// Judged is a probe that ran.
type Judged struct {
	Name  string
	Wrong []string // what is wrong, in full sentences; nil: all is well
}

// reader is a connection that offers reading and nothing else: it runs one script, built of looks at files and of the
// queries its device declares, and there is no way to hand it another.
type reader struct {
	conn target.Conn
	dev  *target.Device
}

// readPrelude defines what the script of a read is made of. It comes on stdin, because the queries of a host with many
// NICs together are longer than one argument may be. Every answer stands between two lines with a random word, so that
// bytes of any kind and number come through one stdout.
const readPrelude = `LC_ALL=C
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
export LC_ALL PATH
file() {
	if [ -h "$1" ]; then
		is='link'
	elif [ -f "$1" ]; then
		is='file'
	elif [ -e "$1" ]; then
		is='special'
	else
		is='absent'
	fi
	printf '%s %s\n' "$B" "$is"
	status=0
	if [ "$is" = file ]; then
		head -c 1048577 "$1"
		status=$?
	fi
	printf '\n%s end %s\n' "$B" "$status"
}
query() {
	printf '%s query\n' "$B"
	printf %s "$2" | timeout 30 sh -c "$1" 2>/dev/null
	status=$?
	printf '\n%s end %s\n' "$B" "$status"
}
`

// readRoot runs a script from stdin.
const readRoot = `eval "$(cat)"`

// answer is one section of what a read printed.
type answer struct {
	is     string // link, file, special, absent, query
	data   []byte
	status int
}

// read asks for everything at once.
func (r *reader) read(ctx context.Context, probes bool) *Have {
	h := &Have{Device: r.dev}
	ask := r.dev.Probes
	if !probes {
		ask = nil
	}
	mark := "rocec-" + rand.Text()
	var s strings.Builder
	s.WriteString(readPrelude)
	fmt.Fprintf(&s, "B=%s\n", mark)
	file := func(path string) { fmt.Fprintf(&s, "file %s\n", quote(path)) }
	query := func(q target.Query) { fmt.Fprintf(&s, "query %s %s\n", quote(q.Cmd), quote(string(q.Stdin))) }
	file(stateDir + "/lock/owner")
	file(stateDir + "/pending")
	for i := range r.dev.Identity {
		query(r.dev.Identity[i].Query)
	}
	for i := range r.dev.Files {
		if f := &r.dev.Files[i]; f.Live != nil {
			query(*f.Live)
		} else {
			file(f.Path)
		}
	}
	for i := range ask {
		query(ask[i].Query)
	}
	s.WriteString("echo \"$B OK\"\n")

	out, err := r.conn.Run(ctx, asRoot(readRoot), []byte(s.String()))
	if err != nil {
		h.Err = runError(r.dev, "", err)
		return h
	}
	answers, err := parseAnswers(out, mark)
	if want := 2 + len(r.dev.Identity) + len(r.dev.Files) + len(ask); err == nil && len(answers) != want {
		err = fmt.Errorf("%d answers to %d questions", len(answers), want)
	}
	if err != nil {
		h.Err = &Error{Kind: Unreachable, Device: r.dev, lost: true, Detail: "the device's answer makes no sense: " + oneLine(err.Error()), Err: err}
		return h
	}
	r.fill(ctx, h, answers, ask)
	return h
}

// fill distributes the answers, in the order of the questions.
func (r *reader) fill(ctx context.Context, h *Have, answers []answer, ask []target.Probe) {
	next := func() answer {
		a := answers[0]
		answers = answers[1:]
		return a
	}
	if a := next(); a.is == "file" {
		h.Lock = parseOwner(string(a.data))
	}
	if a := next(); a.is == "file" {
		h.Pending = strings.Split(strings.TrimSpace(string(a.data)), "\n")
	}
	for i := range r.dev.Identity {
		p := &r.dev.Identity[i]
		if a := next(); a.status != 0 {
			h.Wrong = append(h.Wrong, "The device could not be asked what it is: "+r.reason(ctx, p.Query, a.status)+".")
		} else {
			h.Wrong = append(h.Wrong, escapeAll(p.Judge(a.data))...)
		}
	}
	for i := range r.dev.Files {
		a, f := next(), &r.dev.Files[i]
		var c Content
		switch {
		case f.Live != nil && a.status != 0:
			c.Reason = "it could not be asked for: " + r.reason(ctx, *f.Live, a.status)
		case a.is == "link":
			c.Reason = "it is a symbolic link, which replacing the file would cut"
		case a.is == "special":
			c.Reason = "it is not a regular file"
		case a.status != 0:
			c.Reason = fmt.Sprintf("it could not be read (exit status %d)", a.status)
		case len(a.data) > maxFile:
			c.Reason = "it is larger than 1 MiB"
		case a.is != "absent":
			c.Data = a.data
		}
		h.Files = append(h.Files, c)
	}
	for i := range ask {
		a, p := next(), &ask[i]
		j := Judged{Name: p.Name}
		if a.status != 0 {
			j.Wrong = []string{"The probe could not run: " + r.reason(ctx, p.Query, a.status) + "."}
		} else {
			j.Wrong = escapeAll(p.Judge(a.data))
		}
		h.Probes = append(h.Probes, j)
	}
}

// reason asks a query that failed again, alone, for the words it failed with. A query changes nothing.
func (r *reader) reason(ctx context.Context, q target.Query, status int) string {
	_, err := r.conn.Run(ctx, asRoot(readAlone, q.Cmd), q.Stdin)
	if exit, ok := errors.AsType[*target.ExitError](err); ok && exit.Status == status {
		return oneLine(exit.Error())
	}
	return fmt.Sprintf("exit status %d", status)
}

const readAlone = `LC_ALL=C
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
export LC_ALL PATH
exec timeout 30 sh -c "$1" >/dev/null
`

// parseAnswers takes apart what the script of a read printed: sections
//
//	MARK KIND\n  bytes  \nMARK end STATUS\n
//
// and a last line "MARK OK".
func parseAnswers(out []byte, mark string) ([]answer, error) {
	var answers []answer
	for {
		line, rest, ok := bytes.Cut(out, []byte("\n"))
		if !ok {
			return nil, errors.New("it breaks off")
		}
		words := strings.Fields(string(line))
		if len(words) != 2 || words[0] != mark {
			return nil, fmt.Errorf("unexpected line %q", line[:min(len(line), 80)])
		}
		if words[1] == "OK" {
			if len(rest) > 0 {
				return nil, errors.New("something follows its end")
			}
			return answers, nil
		}
		a := answer{is: words[1]}
		data, rest, ok := bytes.Cut(rest, []byte("\n"+mark+" end "))
		if !ok {
			return nil, errors.New("it breaks off")
		}
		status, rest, _ := bytes.Cut(rest, []byte("\n"))
		n, err := strconv.ParseUint(string(status), 10, 8)
		if err != nil {
			return nil, fmt.Errorf("exit status %q", status[:min(len(status), 80)])
		}
		a.data, a.status, out = bytes.Clone(data), int(n), rest
		if a.data == nil {
			a.data = []byte{}
		}
		answers = append(answers, a)
	}
}

func escapeAll(lines []string) []string {
	for i, s := range lines {
		lines[i] = target.Escape(s)
	}
	return lines
}
