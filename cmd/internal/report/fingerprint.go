package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/lang/baseline"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/outline"
)

// FingerprintVersion is the key of fingerprints in SARIF. A change of the fingerprints must change this key, too: GitHub then opens every
// finding again, once.
const FingerprintVersion = "rocec/v2"

// Fingerprints returns a name for every finding of a fabric, silenced or not, which stays when its files are edited. The name is made of
// its code, or the one that baselines use, its file, the anchor of its place, and the circle of a PFC loop. The name contains no line
// number and no word of a message. Findings that share all of these are numbered in the order of their places.
func Fingerprints(r *Report) map[*diag.Diagnostic]string { return fingerprints(newPaths(r), r) }

func fingerprints(p *paths, r *Report) map[*diag.Diagnostic]string {
	if r.prints != nil {
		return r.prints
	}
	type finding struct {
		*diag.Diagnostic
		at diag.Range
	}
	var all []finding
	add := func(d *diag.Diagnostic) {
		at, _ := p.told(d)
		all = append(all, finding{d, at})
	}
	for _, d := range r.Diags {
		add(d)
	}
	for _, i := range r.Ignored {
		add(i.Diagnostic)
	}
	slices.SortStableFunc(all, func(a, b finding) int {
		return cmp.Or(diag.ComparePlace(a.at, b.at), slices.CompareFunc(a.Notes, b.Notes, func(a, b diag.Note) int {
			return diag.ComparePlace(a.At, b.At)
		}))
	})
	out := make(map[*diag.Diagnostic]string, len(all))
	seen := map[string]int{}
	var a anchors
	for _, d := range all {
		key := strings.Join([]string{cmp.Or(d.Formerly, d.Code), p.stable(d.at), a.at(p.files, d.at), loopSubject(d.Loop)}, "\x00")
		seen[key]++
		sum := sha256.Sum256([]byte(key + "\x00" + strconv.Itoa(seen[key])))
		out[d.Diagnostic] = hex.EncodeToString(sum[:16])
	}
	return out
}

// Compare compares the findings with a baseline on a day. The list contains the mistakes in the baseline.
func (r *Report) Compare(b *baseline.Baseline, today time.Time) (*baseline.Compared, diag.List) {
	p := newPaths(r)
	r.prints = fingerprints(p, r)
	var all []baseline.Finding
	for _, d := range r.Diags {
		at, _ := p.told(d)
		all = append(all, baseline.Finding{Diagnostic: d, Fingerprint: r.prints[d], Place: p.stable(at)})
	}
	run := baseline.Scope{Findings: all, Files: map[string]bool{}, Today: today, Made: func(place string) bool {
		return place == "" || r.Made != "" && strings.HasPrefix(place, r.Made+"/")
	}}
	judged := map[string]bool{}
	for _, f := range r.Files {
		device := diag.Escape(path.Base(f.Device))
		before, seen := judged[device]
		judged[device] = f.Why == "" && (before || !seen)
		run.Files[p.stable(diag.Range{Filename: f.Name})] = f.Why == ""
	}
	for _, device := range slices.SortedFunc(maps.Keys(judged), nodeset.Compare) {
		if judged[device] {
			run.Devices = append(run.Devices, device)
		}
	}
	return b.Compare(run)
}

// Hold removes the findings of a baseline from [Report.Diags], which then contains notes, and findings that are new, worse than their
// row, or expired.
func (r *Report) Hold(compared *baseline.Compared) {
	r.Baseline = compared
	held := map[*diag.Diagnostic]bool{}
	for _, k := range compared.Held {
		held[k.Diagnostic] = true
	}
	var left diag.List
	for _, d := range r.Diags {
		if !held[d] {
			left = append(left, d)
		}
	}
	r.Diags = left
	for _, k := range compared.Returned {
		k.Note(k.Entry.At, "%s", k.Why())
	}
}

// loopSubject returns the buffers of a PFC loop, independent of its first buffer.
func loopSubject(loop []diag.Wait) string {
	buffers := make([]string, len(loop))
	for i, h := range loop {
		buffers[i] = h.Device + ":" + h.In + " " + h.CosGroup
	}
	slices.Sort(buffers)
	return strings.Join(buffers, ", ")
}

// anchors names places by their content: in HCL by [outline.Anchors], in other files by the line up to the end of the place.
type anchors struct{ last *outline.Anchors }

func (a *anchors) at(files map[string][]byte, at diag.Range) string {
	src, known := files[at.Filename]
	from, to := at.Start.Byte, max(at.End.Byte, at.Start.Byte)
	switch {
	case !known || to > len(src):
		return ""
	case path.Ext(at.Filename) == ".hcl":
		if a.last == nil || a.last.Name() != at.Filename {
			a.last = outline.NewAnchors(at.Filename, src)
		}
		return a.last.At(at)
	}
	line, _, _ := bytes.Cut(src[bytes.LastIndexByte(src[:from], '\n')+1:to], []byte("\n"))
	return string(bytes.TrimSpace(line))
}
