package site

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/devicefiles"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/site/sitetest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate"
)

// partialNetworks are examples with the number of draws from their files, 1,000 together. In those with a loop, more files change
// verdicts.
var partialNetworks = map[string]int{
	"bonded-pair": 96, "cabled": 96, "failover-pfc-loop": 96, "mixed-releases": 96, "pause-at-hosts": 96, "pods-ebgp": 40,
	"rack-by-files": 120, "rack-v1-pfc": 120, "ring-pfc-loop": 120, "ring-table": 96, "sonic-leaf-spine": 12, "gpu-pod": 6, "clos-v2-ecn": 6,
}

// judgedSnapshot is an audit of some files. Its values are nil if the files make no fabric, which the audit reports.
type judgedSnapshot struct {
	files   map[string][]byte
	report  *report.Report
	network *Network
	named   map[string]bool // the text of the page without the findings
}

// counted matches the number at the beginning of a condition. It is removed, since a number of cables does not show which cables are
// missing.
var counted = regexp.MustCompile(`^[0-9,]+ cables? (is|are|runs?) `)

// unread reports whether the page names the device of an end as one without files. Of such a device only the cables in other files are
// known.
func (s *judgedSnapshot) unread(end string) bool {
	device, _, _ := strings.Cut(end, ":")
	return slices.Contains(s.network.Unread, device)
}

func auditOf(t *testing.T, files map[string][]byte) *judgedSnapshot {
	t.Helper()
	var list []lint.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		list = append(list, lint.File{Name: name, Data: files[name]})
	}
	out := &judgedSnapshot{files: files, named: map[string]bool{}}
	s, ds := Of(t.Context(), list, Options{Most: 1 << 20})
	if ds.HasErrors() {
		return out
	}
	out.report, out.network = s.Judge(&devicefiles.Found{Files: list, Dir: "site", Hidden: map[string][]byte{}})
	for _, lines := range [][]string{out.network.Conditions, out.network.LeftOut, {out.report.NotJudged()}} {
		for _, line := range lines {
			out.named[counted.ReplaceAllString(line, "")] = true
		}
	}
	for _, d := range out.report.Diags {
		if d.Code == "conf-not-judged" || d.Code == "conf-switches-disagree" {
			out.named[d.Detail] = true
		}
	}
	return out
}

// cosOf returns the verdict on each lossless priority.
func cosOf(r *report.Report) map[int]validate.Verdict {
	out := map[int]validate.Verdict{}
	for _, p := range r.Proofs {
		out[p.Group.Cos] = p.Verdict
	}
	return out
}

// errorsOf returns the errors in files of devices, by code and file.
func errorsOf(r *report.Report) map[string]string {
	out := map[string]string{}
	for _, d := range r.Diags {
		if d.Severity == diag.Error {
			out[d.Code+" "+d.At.Filename] = d.Detail
		}
	}
	return out
}

// explained reports whether the page on fewer files has a condition that the page on more files lacks. Then a verdict may differ.
func explained(few, many *judgedSnapshot) bool {
	for line := range few.named {
		if !many.named[line] {
			return true
		}
	}
	return false
}

// weaker lists the verdicts on fewer files that more files contradict.
func weaker(few, many *judgedSnapshot) (broken []string) {
	was, is := cosOf(few.report), cosOf(many.report)
	for cos, verdict := range was {
		if now, there := is[cos]; verdict == validate.Free && (!there || now != validate.Free) {
			broken = append(broken, fmt.Sprintf("cos %d is free, and with more files %q", cos, now))
		}
	}
	// A file that is cut off has the errors of the whole file, and the error that it is cut off.
	stays := func(key string) bool {
		return !strings.HasPrefix(key, "conf-sonic-text ") && few.files[key[strings.Index(key, " ")+1:]] != nil
	}
	wrong, wrongNow := errorsOf(few.report), errorsOf(many.report)
	judged := func(key string) bool {
		_, name, _ := strings.Cut(key, " ")
		return few.files[name] != nil && bytes.Equal(few.files[name], many.files[name])
	}
	for key, detail := range wrong {
		if _, still := wrongNow[key]; !still && stays(key) {
			broken = append(broken, "the error goes: "+key+": "+detail)
		}
	}
	for key, detail := range wrongNow {
		if _, before := wrong[key]; !before && judged(key) {
			broken = append(broken, "the error comes: "+key+": "+detail)
		}
	}
	if few.report.Fabric != nil && many.report.Fabric != nil {
		seen := cablesOf(few.report.Fabric)
		for _, cable := range cablesOf(many.report.Fabric) {
			a, b, _ := strings.Cut(cable, " ")
			if !slices.Contains(seen, cable) && !(few.unread(a) && few.unread(b)) {
				broken = append(broken, "the cable comes: "+cable)
			}
		}
	}
	return broken
}

// unnamed lists the assumptions that the page on some files does not name.
func unnamed(s *judgedSnapshot, whole map[string][]byte) (broken []string) {
	if s.report == nil || s.report.Fabric == nil {
		return nil
	}
	named := strings.Join(slices.Sorted(maps.Keys(s.named)), "\n")
	for _, d := range s.report.Fabric.Devices {
		has := slices.ContainsFunc(slices.Collect(maps.Keys(s.files)), func(name string) bool {
			return strings.Contains(name, "/"+d.Name+"/") && path.Base(name) != "lldp.json"
		})
		if !has && !slices.Contains(s.network.Unread, d.Name) {
			broken = append(broken, "no file is of "+d.Name)
		}
	}
	for name, data := range s.files {
		at := func(d *diag.Diagnostic) bool { return d.At.Filename == name }
		if len(data) < len(whole[name]) && path.Base(name) != "lldp.json" && !slices.ContainsFunc(s.report.Diags, at) {
			broken = append(broken, fmt.Sprintf("%s is cut off: %d B, %s %v", name, len(data), s.report.NotJudged(), texts(s.report.Diags)))
		}
	}
	if len(s.network.Unread) > 0 && !strings.Contains(named, "there is no file of") {
		broken = append(broken, "no condition names devices without files")
	}
	return broken
}

// thinned removes neighbours at some ports from an answer of LLDP.
func thinned(t *testing.T, answer []byte, gone func(port string) bool) []byte {
	t.Helper()
	var doc map[string]map[string][]any
	require.NoError(t, json.Unmarshal(answer, &doc))
	doc["lldp"]["interface"] = slices.DeleteFunc(doc["lldp"]["interface"], func(one any) bool {
		for port := range one.(map[string]any) {
			return gone(port)
		}
		return false
	})
	out, err := json.Marshal(doc)
	require.NoError(t, err)
	return out
}

// part draws a part of a snapshot: it removes files and LLDP neighbours, and may cut off one file.
func part(t *testing.T, draw *rand.Rand, f *ir.Fabric, files map[string][]byte) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	unseen := map[string]bool{} // ends of cables that neither end reports
	for _, l := range f.Links {
		if draw.IntN(2*len(f.Links)) == 0 {
			unseen[l.A().String()], unseen[l.B().String()] = true, true
		}
	}
	gone := draw.IntN(3) // quarters of the files, at most
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data := files[name]
		lldp := path.Base(name) == "lldp.json"
		switch {
		case draw.IntN(8) < gone:
			continue
		case lldp && json.Valid(data):
			some := draw.IntN(4) == 0
			device := path.Base(path.Dir(name))
			data = thinned(t, data, func(port string) bool { return unseen[device+":"+port] || some && draw.IntN(4) == 0 })
		case draw.IntN(24) == 0 && strings.HasSuffix(name, ".json"):
			data = data[:draw.IntN(max(len(data)-40, 1))]
		}
		out[name] = data
	}
	return out
}

var whole = flag.Bool("whole", false, "judge 1,000 partial snapshots, not a quarter of them")

// More files never contradict a verdict without a reason: they remove a condition that the first page names. Each page names all of its
// assumptions.
func TestMonotone(t *testing.T) {
	for name, draws := range partialNetworks {
		switch {
		case machinetest.Quick():
			draws = 3
		case !*whole:
			draws = max(draws/4, 10)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := judge.Judge(t.Context(), os.DirFS("../../../examples/"+name), ".", judge.Options{})
			require.NotNil(t, j.Fabric)
			all := map[string][]byte{}
			for _, f := range sitetest.FilesOf(t, j) {
				all[f.Name] = f.Data
			}
			compared := 0
			for seed := range uint64(draws) {
				draw := rand.New(rand.NewPCG(seed, uint64(len(name))))
				many := part(t, draw, j.Fabric, all)
				if seed%3 == 0 {
					many = all
				}
				few := part(t, draw, j.Fabric, many)
				of, among := auditOf(t, few), auditOf(t, many)
				problems := unnamed(of, all)
				if of.report != nil && among.report != nil && !explained(of, among) {
					compared++
					problems = append(problems, weaker(of, among)...)
				}
				if !assert.Empty(t, problems, "seed %d; %d of %d files, without %v", seed, len(few), len(many), missing(few, many)) {
					return
				}
			}
			if draws > 50 {
				assert.Positive(t, compared, "no two pages have the same conditions, so nothing was compared")
			}
		})
	}
}

// missing returns the files that a part lacks or has only cut off.
func missing(few, many map[string][]byte) (names []string) {
	for name, data := range many {
		if !bytes.Equal(few[name], data) {
			names = append(names, fmt.Sprintf("%s (%d of %d B)", name, len(few[name]), len(data)))
		}
	}
	slices.Sort(names)
	return names
}
