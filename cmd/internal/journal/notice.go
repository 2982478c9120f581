package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"time"

	"github.com/rocec/rocec/cmd/internal/chain"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/safefile"
)

// noticeOf returns what a central record may know of an entry.
func noticeOf(e *entry, now func() time.Time) Notice {
	switch {
	case e.Begin != nil:
		return began("begin", e.Begin)
	case e.Adopt != nil:
		return began("adopt", e.Adopt)
	case e.Line != nil:
		l := e.Line
		return Notice{
			Event: "verb", Time: l.Time, Device: l.Device, Verb: l.Verb, Done: l.Done, Result: l.Result, Mark: l.Mark,
			Warns: l.Done && l.Result != "ok",
		}
	case e.Hook != nil:
		h := e.Hook
		n := Notice{Event: "hook", Time: h.Time, Verb: h.Hook, Wave: h.Wave, Done: h.Done, Warns: h.Detail != ""}
		switch {
		case n.Warns:
			n.Result = "failed"
		case n.Done:
			n.Result = "ok"
		}
		return n
	case e.Outcome != nil:
		o := e.Outcome
		is := deploy.Outcome(o.Outcome)
		good := is == deploy.Applied || is == deploy.Unchanged || is == deploy.Unconfirmed
		return Notice{Event: "outcome", Time: o.Time, Device: o.Device, Outcome: o.Outcome, Warns: !good}
	case e.End != nil:
		return Notice{Event: "end", Time: *e.End}
	default:
		return Notice{Event: "signed", Time: now().UTC(), Signature: e.Signed.Signature}
	}
}

// Notices returns what a central record may know of the lines of a run after the first ones, the oldest first, and the number of lines.
// A line that is cut off does not count: it is not written yet, or never will be. A line that cannot be read is an empty notice.
func (d *Dir) Notices(run string, after int) (out []Notice, lines int, err error) {
	folder, err := safefile.OpenFolder(d.path, ownFolders)
	if err != nil {
		return nil, 0, err
	}
	defer folder.Close()
	f, err := folder.Open(fileOf(run))
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	head, last := "", time.Time{}
	in := bufio.NewReader(io.LimitReader(f, maxLog))
	for {
		text, err := in.ReadBytes('\n')
		if err != nil {
			return out, lines, nil //nolint:nilerr // the end, or a line that is cut off
		}
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		was := head
		head = chain.Sum(text)
		if lines++; lines <= after {
			continue
		}
		var e entry
		n := Notice{Time: last}
		if json.Unmarshal(text, &e) == nil && !e.empty() {
			n = noticeOf(&e, func() time.Time { return last })
		}
		n.Run, n.Head, n.After, last = run, head, was, n.Time
		out = append(out, n)
	}
}

// Size returns the bytes of the journal of a run: what has not grown has no new line.
func (d *Dir) Size(run string) (int64, error) {
	folder, err := safefile.OpenFolder(d.path, ownFolders)
	if err != nil {
		return 0, err
	}
	defer folder.Close()
	f, err := folder.Open(fileOf(run))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// empty reports whether no member of an entry is set.
func (e *entry) empty() bool {
	return e.Begin == nil && e.Adopt == nil && e.Line == nil && e.Hook == nil && e.Outcome == nil && e.End == nil && e.Signed == nil
}

// began returns what a central record may know of a header.
func began(event string, h *Header) Notice {
	n := Notice{
		Event: event, Time: h.Began, Owner: h.Owner, Tool: h.Tool, Fabric: h.Name, Commit: h.Commit, Message: h.Message,
		Undoes: h.Undoes, Hold: h.Hold, Lab: h.Lab != "", Devices: len(h.Devices),
	}
	if h.Adopted != nil {
		n.Time = h.Adopted.At
	}
	return n
}
