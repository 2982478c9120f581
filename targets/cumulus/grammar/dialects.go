// Package grammar is the one table of the files from which Cumulus Linux reads classes, pausing and buffers. They are traffic.conf of
// every release, qos_features.conf and qos_infra.conf of 4.4 and later, and the memory pools of datapath.conf.
//
// A key is a row of [Keys]: its spelling, the releases that document it, its possible values, and its meaning. All readers and writers of
// such a file find keys here, by meaning. The writer and the editor of package cumulus use the spelling of a release ([Spelling]). The
// linter (conflint) checks lines against the table ([Match], [Type]), and so does the simulated switchd. So a key or a release is added in
// one place.
//
// The package also parses the lines of a file ([Parse]) and the ports of a port_set ([ParseSpan]).
package grammar

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/steps"
)

// Dialects is a set of dialects. A dialect is the spelling of one file in some releases.
type Dialects uint

// The dialects, oldest first within each file. T2 is in no manual: it was seen in a file of 2017, which was probably shipped with 3.4.
const (
	T0 Dialects = 1 << iota // one lossless group for all ports
	T1                      // PFC by port groups; one header field is trusted
	T2
	T3 // both header fields can be trusted; classification by port groups
	T4
	Q1
	Q2
	I1
	I2
	D
)

// The dialects of each file.
const (
	TrafficConf = T0 | T1 | T2 | T3 | T4
	QoSFeatures = Q1 | Q2
	QoSInfra    = I1 | I2
	Datapath    = D
	AnyFile     = TrafficConf | QoSFeatures | QoSInfra | Datapath
)

// The paths of the two files on switches from 4.4 on: one classifies, the other sets up queues and memory.
const (
	FeaturesPath = steps.FeaturesPath
	InfraPath    = steps.InfraPath
)

// dialects names each dialect, in the order of its bits. Sources: the chapters on buffers and quality of service of the
// Cumulus Linux manuals 2.5 to 5.x.
var dialects = []struct {
	name, file   string
	first, last  string  // the releases, in messages
	from, before Release // the releases whose manual documents the dialect; zero: none
}{
	{"T0", "traffic.conf", "2.5", "3.1.0", Release{2, 5, 0}, Release{3, 1, 1}},
	{"T1", "traffic.conf", "3.1.1", "3.4", Release{3, 1, 1}, Release{3, 5, 0}},
	{"T2", "traffic.conf", "3.4", "3.4", Release{}, Release{}},
	{"T3", "traffic.conf", "3.5", "3.7", Release{3, 5, 0}, Release{4, 0, 0}},
	{"T4", "traffic.conf", "4.0", "4.3", Release{4, 0, 0}, Release{4, 4, 0}},
	{"Q1", "qos_features.conf", "4.4", "4.4", Release{4, 4, 0}, Release{5, 0, 0}},
	{"Q2", "qos_features.conf", "5.x", "5.x", Release{5, 0, 0}, Release{6, 0, 0}},
	{"I1", "qos_infra.conf", "4.4", "4.4", Release{4, 4, 0}, Release{5, 0, 0}},
	{"I2", "qos_infra.conf", "5.x", "5.x", Release{5, 0, 0}, Release{6, 0, 0}},
	{"D", "datapath.conf", "2.5", "4.3", Release{2, 5, 0}, Release{4, 4, 0}},
}

// Files are the base names of the files, in the order of their dialects.
var Files = func() (names []string) {
	for _, d := range dialects {
		names = append(names, d.file)
	}
	return slices.Compact(names)
}()

// OfFile returns the dialects of a file, by its base name; for a name that is not in [Files], every dialect.
func OfFile(name string) Dialects {
	var of Dialects
	for i, d := range dialects {
		if d.file == name {
			of |= 1 << i
		}
	}
	if of == 0 {
		return AnyFile
	}
	return of
}

// String names the dialects of a file: "traffic.conf of Cumulus Linux 3.5 to 4.3". For several files it names each.
func (d Dialects) String() string {
	var parts []string
	for _, file := range Files {
		in := d & OfFile(file)
		if in == 0 {
			continue
		}
		parts = append(parts, fmt.Sprintf("%s of Cumulus Linux %s", file, in.Releases()))
	}
	return diag.Or(parts)
}

// Releases names the releases of the dialects of one file: "3.5 to 4.3".
func (d Dialects) Releases() string {
	first, last := dialects[bits.TrailingZeros(uint(d))].first, dialects[bits.Len(uint(d))-1].last
	if first == last {
		return first
	}
	return first + " to " + last
}

// Only reports whether every dialect of d is among o. It ignores datapath.conf beside a traffic.conf, and qos_infra.conf beside a
// qos_features.conf.
func (d Dialects) Only(o Dialects) bool {
	if d&TrafficConf != 0 {
		d &^= Datapath
	}
	if d&QoSFeatures != 0 {
		d &^= QoSInfra
	}
	return d&^o == 0
}

// Release is a release of Cumulus Linux: 3.4.3 is {3, 4, 3}.
type Release [3]int

// ParseRelease reads "3.4.3" or "4.3": two or three numbers.
func ParseRelease(s string) (Release, bool) {
	var r Release
	parts := strings.Split(s, ".")
	if len(parts) < 2 || len(parts) > 3 {
		return r, false
	}
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil {
			return r, false
		}
		r[i] = int(n)
	}
	return r, true
}

// Compare orders releases by age: negative when r is older than o.
func (r Release) Compare(o Release) int { return slices.Compare(r[:], o[:]) }

// AtLeast reports whether r is major.minor or later.
func (r Release) AtLeast(major, minor int) bool { return r.Compare(Release{major, minor}) >= 0 }

// Dialects returns the dialects in the manual of a release, one for each of its files; 0: the manual is not known.
func (r Release) Dialects() Dialects {
	var of Dialects
	for i, d := range dialects {
		if r.Compare(d.from) >= 0 && r.Compare(d.before) < 0 {
			of |= 1 << i
		}
	}
	return of
}
