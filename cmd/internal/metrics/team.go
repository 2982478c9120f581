package metrics

import (
	"bufio"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"
)

// Team has the values of the pages of rocecd.
type Team struct {
	Fabrics []TeamFabric // in the order of the output
}

// TeamFabric has what is known of the runs and the sites of a fabric.
type TeamFabric struct {
	Name    string
	Current bool           // the values are those that the hub has now
	Runs    map[string]int // by state
	Oldest  time.Time      // submission of the first run that is not over; zero: all are over
	Sites   []TeamSite     // in the order of the output
}

// TeamSite has what is known of a site of a fabric.
type TeamSite struct {
	Name     string
	Alive    bool
	Known    bool           // whether Alive is known
	Look     time.Time      // start of the last look that was made; zero: no look was made
	Tried    bool           // there is a look, which may have failed
	Failed   bool           // the newest look could not be made
	Devices  map[string]int // of the last look that was made, by status
	Findings []Found        // of the same look, each code and severity once
}

// The labels of samples of sites.
const (
	labelSite  = "site"
	labelState = "state"
)

// teamMetric is a metric of a team with its samples.
type teamMetric struct {
	Metric
	samples func(f *TeamFabric, put func(value string, labels ...string)) // as labels, the values of Labels
}

// teamTable has every metric of the pages of rocecd, in the order of the output.
var teamTable = []teamMetric{
	{
		Metric: Metric{
			Name: "rocec_team_current", Kind: Gauge,
			Help: "1 if the values are those that the hub has now, and 0 while the hub is away.",
		},
		samples: func(f *TeamFabric, put func(string, ...string)) { put(bit(f.Current)) },
	},
	{
		Metric: Metric{
			Name: "rocec_team_runs", Kind: Gauge, Labels: []string{labelState},
			Help: "Runs of the fabric that the hub has, by state.",
		},
		samples: func(f *TeamFabric, put func(string, ...string)) {
			for _, state := range slices.Sorted(maps.Keys(f.Runs)) {
				put(strconv.Itoa(f.Runs[state]), state)
			}
		},
	},
	{
		Metric: Metric{
			Name: "rocec_team_oldest_run_timestamp_seconds", Kind: Gauge, Unit: unitSeconds,
			Help: "Submission of the first run that is not over, in seconds since 1970.",
		},
		samples: func(f *TeamFabric, put func(string, ...string)) { putTime(f.Oldest, put) },
	},
	{
		Metric: Metric{
			Name: "rocec_team_site_alive", Kind: Gauge, Labels: []string{labelSite},
			Help: "1 if the hub has heard the site in the last 30 seconds, otherwise 0.",
		},
		samples: eachSite(func(s *TeamSite, put func(string, ...string)) {
			if s.Known {
				put(bit(s.Alive), s.Name)
			}
		}),
	},
	{
		Metric: Metric{
			Name: "rocec_team_look_timestamp_seconds", Kind: Gauge, Unit: unitSeconds, Labels: []string{labelSite},
			Help: "Time at which the last look of the site that was made began to read the devices, in seconds since 1970.",
		},
		samples: eachSite(func(s *TeamSite, put func(string, ...string)) { putTime(s.Look, put, s.Name) }),
	},
	{
		Metric: Metric{
			Name: "rocec_team_look_failed", Kind: Gauge, Labels: []string{labelSite},
			Help: "1 if the newest look of the site could not be made, otherwise 0.",
		},
		samples: eachSite(func(s *TeamSite, put func(string, ...string)) {
			if s.Tried {
				put(bit(s.Failed), s.Name)
			}
		}),
	},
	{
		Metric: Metric{
			Name: "rocec_team_devices", Kind: Gauge, Labels: []string{labelSite, labelState},
			Help: "Devices of the site by their status in its last look that was made.",
		},
		samples: eachSite(func(s *TeamSite, put func(string, ...string)) {
			for _, state := range slices.Sorted(maps.Keys(s.Devices)) {
				put(strconv.Itoa(s.Devices[state]), s.Name, state)
			}
		}),
	},
	{
		Metric: Metric{
			Name: "rocec_team_findings", Kind: Gauge, Labels: []string{labelSite, "code", "severity"},
			Help: "Findings of the last look of the site that was made, by code and severity.",
		},
		samples: eachSite(func(s *TeamSite, put func(string, ...string)) {
			for _, f := range s.Findings {
				put(strconv.Itoa(f.N), s.Name, f.Code, f.Severity)
			}
		}),
	},
}

// eachSite returns a writer of samples of each site of a fabric.
func eachSite(write func(*TeamSite, func(string, ...string))) func(*TeamFabric, func(string, ...string)) {
	return func(f *TeamFabric, put func(string, ...string)) {
		for i := range f.Sites {
			write(&f.Sites[i], put)
		}
	}
}

func putTime(at time.Time, put func(string, ...string), labels ...string) {
	if !at.IsZero() {
		put(strconv.FormatInt(at.Unix(), 10), labels...)
	}
}

func bit(is bool) string {
	if is {
		return "1"
	}
	return "0"
}

// Write writes the values as [Look.Write] writes a look.
func (t *Team) Write(to io.Writer) error {
	w := bufio.NewWriter(to)
	for k := range teamTable {
		m := &teamTable[k]
		f := family{m: &m.Metric, w: w}
		for i := range t.Fabrics {
			f.of(t.Fabrics[i].Name)
			m.samples(&t.Fabrics[i], f.put)
		}
	}
	texts(w, "# EOF\n")
	return w.Flush()
}
