package device

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device/scripts"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// MaxFile is the largest size of a file that rocec reads, in bytes.
const MaxFile = 1 << 20

// mostKeys bounds the host keys that a gate names, and its release before them.
const mostKeys = 16

// mostRights bounds how many folders and files a read reports of rocec's state because users other than root may change them.
const mostRights = 64

// runGiven runs the script in its argument, or the script on stdin if the argument is empty.
const runGiven = `eval "${1:-$(cat)}"`

// mostArgument is the longest script of a read that is sent as an argument, which saves a round trip. A command is one packet, and every
// SSH server accepts 32 KiB. Quoting and the verb in front lengthen the command. The queries of a host with many NICs exceed the limit.
const mostArgument = 10 << 10

// send returns the script of a read as an argument, or as stdin.
func (q *question) send() (arg string, stdin []byte) {
	if len(q.script) <= mostArgument {
		return q.script, nil
	}
	return "", []byte(q.script)
}

// question is the script of a read, with the data to parse its answer.
type question struct {
	dev    *target.Device
	probes []target.Probe
	look   *target.Inspection // nil: not asked for
	mark   string
	script string
	left   []target.File // files that the device should not have, as reported so far
}

// Want lists what to read from a device beside its files.
type Want struct {
	Probes bool // the probes
	Look   bool // the facts that the fabric assumes
}

// ask builds the question for everything that rocec needs to know about a device.
func ask(dev *target.Device, w Want) *question {
	q := &question{dev: dev, mark: "rocec-" + rand.Text()}
	if w.Probes {
		q.probes = dev.Probes
	}
	if w.Look {
		q.look = dev.Inspection
	}
	var s strings.Builder
	s.WriteString("state")
	for _, dir := range deploy.Folders(dev) {
		s.WriteString(" " + scripts.Quote(dir))
	}
	s.WriteByte('\n')
	if g := dev.Given; g != nil {
		fmt.Fprintf(&s, "if given %s %s; then\n", scripts.Quote(g.Run), scripts.Quote(g.Sum))
	}
	query := func(a target.Query) {
		words := []string{"query", a.Cmd, string(a.Stdin)}
		if a.Name != "" {
			words = []string{"live", a.Name, a.Cmd, string(a.Stdin)}
		}
		s.WriteString(quoted(words) + "\n")
	}
	for i := range dev.Identity {
		query(dev.Identity[i].Query)
	}
	for _, l := range dev.Cleanups {
		query(l.Query)
	}
	for i := range dev.Files {
		if f := &dev.Files[i]; f.Live != nil {
			query(*f.Live)
		} else {
			s.WriteString("file " + scripts.Quote(f.Path))
			for _, p := range f.Places {
				s.WriteString(" " + scripts.Quote(p))
			}
			s.WriteByte('\n')
		}
	}
	for i := range dev.Watches {
		query(dev.Watches[i].Query)
	}
	for i := range q.probes {
		query(q.probes[i].Query)
	}
	if q.look != nil {
		query(q.look.Query)
	}
	if dev.Given != nil {
		s.WriteString("true\nfi\n")
	}
	q.script = scripts.Sections(scripts.Read(), q.mark, s.String())
	return q
}

// answer is one section of the output of a read.
type answer struct {
	is     string         // link, file, special, hidden, absent, query, state
	at     int            // for a file with several possible paths: the path of this answer
	rights *deploy.Rights // for a file; nil: not printed
	data   []byte
	status int
}

// Read asks for everything at once. It cannot write: its script only reads files and runs the queries that the device declares.
//
// If the device comes from the journal of a run, Read first asks whether the device received the same journal. If the device did not,
// Read asks nothing more.
func (d *Device) Read(ctx context.Context, w Want) *deploy.Have {
	if err := Refused(d.Of, ""); err != nil {
		return &deploy.Have{Device: d.Of, Err: err}
	}
	q := ask(d.Of, w)
	arg, stdin := q.send()
	out, err := d.asRoot(ctx, true, stdin, "", runGiven, arg)
	if err != nil {
		return &deploy.Have{Device: d.Of, HostKey: d.conn.HostKey(), Err: runError(d.Of, "", err)}
	}
	h := d.answered(ctx, q, out)
	if len(q.left) == 0 {
		return h
	}
	d.Of = withFiles(d.Of, q.left)
	return d.Read(ctx, w)
}

// withFiles returns the device with additional files, the leftovers. The read does not ask for them again. Their removal comes before all
// other changes are put to use.
func withFiles(d *target.Device, more []target.File) *target.Device {
	out := *d
	out.Files, out.Cleanups = slices.Concat(more, d.Files), nil
	return &out
}

// answered converts the output of a read to the state of the device.
func (d *Device) answered(ctx context.Context, q *question, out []byte) *deploy.Have {
	h := &deploy.Have{Device: d.Of, HostKey: d.conn.HostKey()}
	answers, err := parseAnswers(out, q.mark)
	want := 1 + len(d.Of.Identity) + len(d.Of.Cleanups) + len(d.Of.Files) + len(d.Of.Watches) + len(q.probes)
	if q.look != nil {
		want++
	}
	if g := d.Of.Given; g != nil && err == nil && len(answers) > 1 {
		if word := string(answers[1].data); word != "same" {
			fillState(h, string(answers[0].data))
			h.Err = ungiven(d.Of, "", notGiven(g.Run, word), word == "none")
			return h
		}
		answers = slices.Delete(answers, 1, 2)
	}
	if err == nil && len(answers) != want {
		err = fmt.Errorf("%d answers to %d questions", len(answers), want)
	}
	if err != nil {
		h.Err = &deploy.Error{
			Kind: deploy.Unreachable, Device: d.Of, Lost: true, Err: err,
			Detail: "the device's answer is invalid: " + deploy.OneLine(err.Error()),
		}
		return h
	}
	d.fill(ctx, h, answers, q)
	return h
}

// fill stores the answers in the state, in the order of the questions.
func (d *Device) fill(ctx context.Context, h *deploy.Have, answers []answer, q *question) {
	next := func() answer {
		a := answers[0]
		answers = answers[1:]
		return a
	}
	fillState(h, string(next().data))
	for i := range d.Of.Identity {
		p := &d.Of.Identity[i]
		if a := next(); a.status != 0 {
			h.Wrong = append(h.Wrong, "The device could not be asked what it is: "+d.reason(ctx, p.Query, a.status)+".")
		} else {
			h.Wrong = append(h.Wrong, escapeAll(p.Judge(a.data))...)
		}
	}
	for _, l := range d.Of.Cleanups {
		if a := next(); a.status == 0 {
			q.left = append(q.left, l.Files(a.data)...)
		} else {
			h.Wrong = append(h.Wrong, "The device could not be asked what rocec has left on it: "+d.reason(ctx, l.Query, a.status)+".")
		}
	}
	found := slices.Clip(slices.Clone(d.Of.Files))
	moved := false
	for i := range d.Of.Files {
		a, f := next(), &d.Of.Files[i]
		if a.at > 0 && a.at <= len(f.Places) {
			found[i].Path, found[i].Places, moved = f.Places[a.at-1], nil, true
		}
		var c deploy.Content
		switch {
		case f.Live != nil && a.status != 0:
			c.Reason = "its query failed: " + d.reason(ctx, *f.Live, a.status)
		case a.is == "link":
			c.Reason = "it is a symbolic link, which a new file would replace"
		case a.is == "special":
			c.Reason = "it is not a regular file"
		case a.is == "hidden", a.status != 0:
			c.Reason = "the login user may not read it, nor become root to do so"
		case len(a.data) > MaxFile:
			c.Reason = "it is larger than 1 MiB"
		case a.is != "absent":
			c.Data, c.Rights = a.data, a.rights
		}
		h.Files = append(h.Files, c)
	}
	if moved {
		of := *d.Of
		of.Files = found
		h.Device = &of
		d.Of = &of
	}
	for i := range d.Of.Watches {
		a, w, failed := next(), &d.Of.Watches[i], ""
		if a.status != 0 {
			failed = "its query failed: " + d.reason(ctx, w.Query, a.status)
		}
		found, facts := w.Judge(a.data, failed)
		h.Watched = append(h.Watched, deploy.Watched{Name: w.Name, Found: found, Facts: facts})
	}
	for i := range q.probes {
		a, p := next(), &q.probes[i]
		j := deploy.Judged{Name: p.Name}
		if a.status != 0 {
			j.Wrong = []string{"The probe could not run: " + d.reason(ctx, p.Query, a.status) + "."}
		} else {
			if p.Judge != nil {
				j.Wrong = escapeAll(p.Judge(a.data))
			}
			if p.Samples != nil {
				j.Samples = p.Samples(a.data)
			}
		}
		h.Probes = append(h.Probes, j)
	}
	if q.look == nil {
		return
	}
	a := next()
	if a.status == 0 {
		h.Seen = q.look.Parse(a.data)
		return
	}
	h.Seen = q.look.Parse(nil)
	why := "the device could not be asked: " + d.reason(ctx, q.look.Query, a.status)
	for part := range h.Seen.Unread {
		h.Seen.Unread[part] = why
	}
}

// fillState parses rocec's own state on the device.
func fillState(h *deploy.Have, text string) {
	h.Count = -1
	var owner, marked strings.Builder
	locked := false
	due := map[string]time.Duration{} // by run
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch key {
		case "boot":
			h.Boot = deploy.OneLine(value)
		case "up":
			h.Uptime, _ = strconv.ParseFloat(value, 64) // 0 if the text is not a number
		case "unseen":
			h.Unseen = true
		case "root":
			h.Free = true
		case "gate":
			h.Gate = parseGate(value)
		case "locked":
			locked = true
		case "lock":
			fmt.Fprintln(&owner, value)
		case "run":
			if run, mark, _ := strings.Cut(value, " "); deploy.ValidRun(run) {
				h.Runs = append(h.Runs, deploy.RunMark{Run: run, Mark: txn.MarkOf(mark)})
			}
		case "due":
			if f := strings.Fields(value); len(f) == 3 && f[1] == h.Boot {
				due[f[0]] = until(h, f[2])
			}
		case "rights":
			text, path, _ := strings.Cut(value, " ")
			switch r, ok := deploy.ParseRights(text); {
			case ok && len(h.Rights) < mostRights:
				h.Rights = append(h.Rights, deploy.RightsOf{Path: path, Rights: r})
			case ok:
				h.Unnamed++
			}
		case "count":
			h.Count = countOf(value)
		case "marked":
			fmt.Fprintln(&marked, value)
		case "ended":
			if f := strings.Fields(value); len(f) >= 2 && deploy.ValidRun(f[0]) {
				h.Over = append(h.Over, deploy.RunMark{Run: f[0], Mark: txn.MarkOf(f[1])})
			}
		case "back":
			if f := strings.SplitN(value, " ", 3); len(f) == 3 && deploy.ValidRun(f[1]) {
				for i := range h.Over {
					if h.Over[i].Run == f[0] {
						h.Over[i].Undoes, h.Over[i].Who = f[1], deploy.OneLine(f[2])
					}
				}
			}
		case "note":
			if f := strings.Fields(value); len(f) == 4 && deploy.ValidRun(f[0]) {
				h.Notes = append(h.Notes, deploy.Note{Tool: deploy.OneLine(f[1]), Intent: f[2], Holds: f[3]})
			}
		case "pending":
			h.Pending = append(h.Pending, value)
		}
	}
	for i := range h.Runs {
		h.Runs[i].Until = due[h.Runs[i].Run]
	}
	h.Marked = markOf(h, marked.String())
	if !locked {
		return
	}
	h.Lock = deploy.ParseOwner(owner.String())
	if i := slices.IndexFunc(h.Runs, func(r deploy.RunMark) bool { return r.Run == h.Lock.Txn }); i >= 0 {
		h.Lock.Mark, h.Lock.Until = h.Runs[i].Mark, h.Runs[i].Until
		h.Runs = slices.Delete(h.Runs, i, i+1)
	}
}

// markOf reads the mark of a run; nil: the device has no mark, or the mark has ended. A mark holds for one boot of the device, up to an
// uptime.
func markOf(h *deploy.Have, text string) *deploy.Owner {
	o := deploy.ParseOwner(text)
	boot, ends := "", ""
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch key {
		case "boot":
			boot = value
		case "ends":
			ends = value
		}
	}
	if o.Txn == "" || boot != h.Boot || uptimeOf(ends) <= h.Uptime {
		return nil
	}
	o.Until, o.Beside = until(h, ends), true
	return o
}

// uptimeOf parses a time in seconds since the device's boot; 0: invalid.
func uptimeOf(text string) float64 {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0
	}
	return float64(n)
}

// until returns the time from now to a moment on the device's clock. The result is at least a second, because a due event may be under
// way.
func until(h *deploy.Have, moment string) time.Duration {
	return max(time.Second, time.Duration(uptimeOf(moment)-h.Uptime)*time.Second)
}

// reason runs a failed query again, alone, to get its error message. A query changes nothing.
func (d *Device) reason(ctx context.Context, q target.Query, status int) string {
	_, err := d.asRoot(ctx, true, q.Stdin, "", readAlone, q.Cmd)
	if exit, ok := errors.AsType[*target.ExitError](err); ok && exit.Status == status {
		return deploy.OneLine(exit.Error())
	}
	return fmt.Sprintf("exit status %d", status)
}

const readAlone = `LC_ALL=C
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
export LC_ALL PATH
exec timeout 30 sh -c "$1" >/dev/null
`

// parseAnswers parses the output of the script of a read: sections
//
//	MARK KIND [PLACE [RIGHTS]]\n  bytes  \nMARK end STATUS\n
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
		place := 0
		var rights *deploy.Rights
		if len(words) == 4 {
			r, ok := deploy.ParseRights(words[3])
			if !ok {
				return nil, fmt.Errorf("owner and mode %q", words[3][:min(len(words[3]), 80)])
			}
			rights, words = &r, words[:3]
		}
		if len(words) == 3 {
			n, err := strconv.ParseUint(words[2], 10, 8)
			if err == nil {
				place, words = int(n), words[:2]
			}
		}
		if len(words) != 2 || words[0] != mark {
			return nil, fmt.Errorf("unexpected line %q", line[:min(len(line), 80)])
		}
		if words[1] == "OK" {
			if len(rest) > 0 {
				return nil, errors.New("there is data after its end")
			}
			return answers, nil
		}
		a := answer{is: words[1], at: place, rights: rights}
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

// parseGate reads the release and the host keys of a gate; nil: the text has neither.
func parseGate(text string) *deploy.Gate {
	if f := strings.Fields(text); len(f) >= 2 && len(f) <= mostKeys {
		return &deploy.Gate{Release: deploy.OneLine(f[0]), Machines: f[1:]}
	}
	return nil
}
