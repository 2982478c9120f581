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

// Reports contains the files of verify --from: folders with reports of hosts, and configurations.
type Reports struct {
	Folder  string
	Missing []*target.Device         // hosts without a report, or devices without a file
	Age     map[string]time.Duration // age of the reports, by host
	Files   bool                     // there are configurations, so switches are judged, too
	Why     map[string]string        // by device: why its files have no verdict, as a part of a sentence
	Not     []NotJudged              // files that are not judged
}

// why returns the reason why nothing is known about a device.
func (r *Reports) why(d *target.Device) string {
	switch {
	case r.Why[d.Name] != "":
		return fmt.Sprintf("The files of %s were not compared: %s.", d.Name, r.Why[d.Name])
	case r.Files:
		return fmt.Sprintf("There is no file of %s in %s.", d.Name, r.Folder)
	}
	return fmt.Sprintf("There is no report %s.json in %s.", d.Name, r.Folder)
}

// add adds the hosts without a report to the document, sorted by name.
func (doc *VerifyDocument) add(r *Reports) {
	doc.Summary[VerifyUnknown] = len(r.Missing)
	for _, d := range r.Missing {
		v := VerifyDevice{
			Name: d.Name, Status: VerifyUnknown, Reason: r.why(d),
			Changes: []FileChange{}, Findings: []VerifyFinding{}, Differences: []Difference{},
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
	what := "no report"
	if r.Files {
		what = "no file"
	}
	var missing Texts
	for _, d := range r.Missing {
		text := fmt.Sprintf("%s in %s", what, r.Folder)
		if why := r.Why[d.Name]; why != "" {
			text = why
		}
		missing.Add(text, d.Name)
	}
	for _, text := range missing.All {
		v.Prose(v.Paint(diag.Red, VerifyUnknown+":")+" ", fmt.Sprintf("%s (%s)", nodeset.Text(missing.Of[text], nodeset.Devices, math.MaxInt),
			diag.Escape(text)))
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
	if r.Files {
		v.Prose("", "Not in files, and so not judged: links, counters, and whether the devices have loaded these files.")
		return
	}
	v.Prose("", "Not in reports, and so not judged: links, counters, and the switches.")
}

// ageText returns a rough age as text.
func ageText(age time.Duration) string {
	switch {
	case age < time.Hour:
		return "less than an hour old"
	case age < 48*time.Hour:
		return diag.Count(int(age.Hours()), "hour") + " old"
	}
	return diag.Count(int(age.Hours()/24), "day") + " old"
}
