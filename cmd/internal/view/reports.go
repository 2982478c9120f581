package view

import (
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// Reports is a folder of what hosts reported of themselves.
type Reports struct {
	Folder  string
	Missing []*target.Device         // hosts without a report
	Age     map[string]time.Duration // of the reports that are there, by host
}

// add puts the hosts without a report into the document, in order of names.
func (doc *VerifyDocument) add(r *Reports) {
	doc.Summary[VerifyUnknown] = len(r.Missing)
	for _, d := range r.Missing {
		v := VerifyDevice{
			Name: d.Name, Status: VerifyUnknown, Reason: fmt.Sprintf("There is no report %s.json in %s.", d.Name, r.Folder),
			Changes: []Change{}, Findings: []VerifyFinding{}, Differences: []Difference{},
			Hints: []VerifyFinding{}, Rose: []deploy.Rise{}, Facts: []VerifyFact{},
		}
		if d.Source.Maintenance != "" {
			doc.Summary[VerifyUnknown]--
			doc.Summary[string(deploy.StatusPending)]++
			v.Status, v.Reason = string(deploy.StatusPending), "under maintenance: "+d.Source.Maintenance
		}
		doc.Devices = append(doc.Devices, v)
	}
	sort.Slice(doc.Devices, func(i, k int) bool {
		a, b := doc.Devices[i], doc.Devices[k]
		return nodeset.Compare(a.Name, b.Name) < 0
	})
}

// seconds returns the age of the report of a host; nil: there is no report.
func (r *Reports) seconds(host string) *int64 {
	if r == nil {
		return nil
	}
	age, is := r.Age[host]
	if !is {
		return nil
	}
	s := int64(max(age, 0).Seconds())
	return &s
}

// reports names the hosts without a report, and prints the age of the others.
func (v *Plan) reports(r *Reports, doc VerifyDocument) {
	if len(r.Missing) > 0 {
		names := make([]string, len(r.Missing))
		for i, d := range r.Missing {
			names[i] = d.Name
		}
		v.Prose(v.Paint(diag.Red, VerifyUnknown+":")+" ", fmt.Sprintf("%s (no report in %s)", nodeset.Text(names, nodeset.Devices, math.MaxInt),
			diag.Escape(r.Folder)))
	}
	var order []string
	of := map[string][]string{}
	for _, d := range doc.Devices {
		if d.Age == nil {
			continue
		}
		text := ageText(time.Duration(*d.Age) * time.Second)
		if of[text] == nil {
			order = append(order, text)
		}
		of[text] = append(of[text], d.Name)
	}
	for _, text := range order {
		v.Prose("Reports: ", fmt.Sprintf("%s, by the time of the file, of %s.", text, nodeset.Text(of[text], nodeset.Devices, math.MaxInt)))
	}
	v.Prose("", "Not in reports, and so not judged: links, counters, and the switches.")
}

// ageText says roughly how old something is.
func ageText(age time.Duration) string {
	switch {
	case age < time.Hour:
		return "less than an hour old"
	case age < 48*time.Hour:
		return diag.Count(int(age.Hours()), "hour") + " old"
	}
	return diag.Count(int(age.Hours()/24), "day") + " old"
}
