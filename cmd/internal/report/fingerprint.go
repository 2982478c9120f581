package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/outline"
)

// FingerprintVersion is the key of fingerprints in SARIF. Whatever changes how they are made changes it, too: GitHub then
// opens every finding anew, once.
const FingerprintVersion = "rocec/v2"

// Fingerprints names every finding of a fabric, silenced or not, so that it is known again after its files were edited: by
// its code, or that under which baselines know it, its file, what stands at its place, and the circle of a PFC loop. Neither a line nor
// a word of a message is
// part of it. Findings that have all of this in common are numbered in the order of their places.
func Fingerprints(r *Report) map[*diag.Diagnostic]string { return fingerprints(newPaths(r), r) }

func fingerprints(p *paths, r *Report) map[*diag.Diagnostic]string {
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

// loopSubject is the buffers of a PFC loop, wherever it begins.
func loopSubject(loop []diag.Wait) string {
	buffers := make([]string, len(loop))
	for i, h := range loop {
		buffers[i] = h.Device + ":" + h.In + " " + h.CosGroup
	}
	slices.Sort(buffers)
	return strings.Join(buffers, ", ")
}

// anchors names places by what stands there: in HCL as [outline.Anchors] does, in other files by the line up to the end of the
// place.
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
