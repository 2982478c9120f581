package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/chain"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/safefile"
)

// This file checks journals as chains: each alone, and each with the run that was begun before.

// Proof is what the journal of one run proves about itself.
type Proof struct {
	chain.Report
	Log      *Log
	Unsigned int // lines after the last signature; 0 also where there is no signature
}

// Check reads the journal of a run as a chain. It does not judge signatures. The error is that of [Dir.Read].
func (d *Dir) Check(run string) (*Proof, error) {
	folder, err := safefile.OpenFolder(d.path, ownFolders)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	l, err := read(folder, run)
	if err != nil {
		return nil, err
	}
	lines, err := linesOf(folder, run)
	if err != nil {
		return nil, err
	}
	p := &Proof{Report: chain.Check(lines), Log: l}
	if p.None {
		if l.Prior != nil || len(l.Signed) > 0 || l.Agreement != nil {
			p.wrong("the lines have no hashes, and the journal is one of a rocec that writes them")
		}
		return p, nil
	}
	p.checkKinds(lines)
	p.checkEnd(lines)
	p.checkPrior(folder)
	p.checkBefore(folder)
	return p, nil
}

func (p *Proof) wrong(format string, args ...any) {
	p.Wrong = append(p.Wrong, fmt.Sprintf(format, args...))
}

// kinds are how lines of a journal begin: the name of the one member that is set.
const kinds = "begin adopt line hook outcome end signed"

// checkKinds judges whether each line is one of a journal, and the first one alone its begin.
func (p *Proof) checkKinds(lines [][]byte) {
	for i, line := range lines {
		kind := slices.IndexFunc(strings.Fields(kinds), func(k string) bool { return bytes.HasPrefix(line, []byte(`{"`+k+`":`)) })
		if json.Valid(line) && (kind < 0 || (kind == 0) != (i == 0)) { // half a line is that of a process that died
			p.wrong("line %d does not belong into a journal there", i+1)
		}
	}
	if end := p.Log.Ended; end != nil && end.Before(p.Log.Began) {
		p.wrong("the end is before the begin")
	}
}

// checkEnd judges how the lines end.
func (p *Proof) checkEnd(lines [][]byte) {
	signature := func(line []byte) bool { return bytes.HasPrefix(line, []byte(`{"signed":`)) }
	for i, line := range slices.Backward(lines) {
		if signature(line) {
			p.Unsigned = len(lines) - 1 - i
			break
		}
	}
	if last := lines[len(lines)-1]; !p.Torn && !p.Log.Alive && !signature(last) && !chain.Sealed(last) {
		p.wrong("the run has no end: it died and no verb went on with it, or lines were cut off")
	}
}

// checkPrior judges whether the run before is there as this one found it.
func (p *Proof) checkPrior(folder *safefile.Folder) {
	before := p.Log.Prior
	if before == nil {
		return
	}
	if !deploy.ValidRun(before.Run) {
		p.wrong("the run before has no valid name")
		return
	}
	lines, err := linesOf(folder, before.Run)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.wrong("the journal of run %s, which was begun before, is missing", before.Run)
	case err != nil:
		p.wrong("the journal of run %s, which was begun before, cannot be read: %v", before.Run, err)
	case !slices.ContainsFunc(lines, func(line []byte) bool { return chain.Sum(line) == before.Head }):
		p.wrong("the journal of run %s, which was begun before, was changed or cut after this run began", before.Run)
	}
}

// checkBefore judges the contents from before the run. Their names are their hashes.
func (p *Proof) checkBefore(folder *safefile.Folder) {
	for _, d := range p.Log.Devices {
		for _, f := range d.Changes {
			if f.Lost != "" || f.Base == "" || f.Base == deploy.Absent || f.Query != nil {
				continue
			}
			if _, err := before(folder, p.Log.Run, f.Base); err != nil {
				p.wrong("the content of %s on %s from before is not as it was kept: %v", f.Path, d.Name, err)
			}
		}
	}
}
