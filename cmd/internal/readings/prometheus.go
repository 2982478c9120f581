package readings

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/origin"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/validate/storm"
)

// TokenVariable is the environment variable with the bearer token for a server; it may be empty.
const TokenVariable = "ROCEC_PROMETHEUS_TOKEN"

// The bounds of requests.
const (
	mostAnswer = 64 << 20         // bytes of one answer
	mostToken  = 4096             // bytes
	mostWait   = time.Minute      // for one answer
	mostAll    = 10 * time.Minute // for all answers
	mostSeries = 4_000_000        // of one answer: 8 priorities at 500,000 ports
)

// Prometheus is a server of Prometheus, asked by its HTTP API (/api/v1/query).
type Prometheus struct {
	http  *http.Client
	base  *url.URL
	token string
}

// NewPrometheus reads the address of a server. A token is sent only to that origin, and not without encryption unless the server is on this
// machine.
func NewPrometheus(address, token string) (*Prometheus, error) {
	u, err := url.Parse(address)
	token = strings.TrimSpace(token)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, exit.Fail(exit.Usage, "--prometheus %s is not the URL of a server; an example is https://prometheus.example.net",
			diag.Escape(diag.Cut(address)))
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, exit.Fail(exit.Usage, "--prometheus: leave users, queries and fragments out of the URL; rocec uses only the token in %s",
			TokenVariable)
	case token != "" && u.Scheme == "http" && !origin.Loopback(u.Hostname()):
		return nil, exit.Fail(exit.Usage, "--prometheus: http would send the token in %s unencrypted; use https", TokenVariable)
	case !origin.IsToken(token, mostToken):
		return nil, exit.Fail(exit.Usage, "the environment variable %s contains no token: a token is one word", TokenVariable)
	}
	base := u.JoinPath("api/v1/query")
	return &Prometheus{http: origin.NewClient(base, mostWait), base: base, token: token}, nil
}

// labelled is one series of an answer.
type labelled struct {
	Metric struct {
		Device   string `json:"device"`
		Port     string `json:"port"`
		Priority string `json:"priority"`
	} `json:"metric"`
	Value [2]json.RawMessage `json:"value"` // the time, and the value as a text
}

// mostValue is the largest whole number up to which a server keeps every whole number: its values are IEEE 754 doubles. Above it, a rise by
// one can be lost, and a queue that sends would look like one that does not.
const mostValue = 1 << 53

// value returns the value of a series; not ok: it is not a number, negative, or too large for a counter.
func (r *labelled) value() (v float64, ok bool) {
	var text string
	if json.Unmarshal(r.Value[1], &text) != nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && v >= 0 && v <= mostValue
}

// ask calls use for each series of an expression at a time.
func (s *Prometheus) ask(ctx context.Context, expression string, at time.Time, use func(*labelled)) error {
	fail := func(format string, args ...any) error {
		return exit.Fail(exit.Machines, "Prometheus at %s: %s", s.base.Redacted(), fmt.Sprintf(format, args...))
	}
	to := *s.base
	to.RawQuery = url.Values{"query": {expression}, "time": {strconv.FormatFloat(float64(at.UnixMilli())/1000, 'f', 3, 64)}}.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
	if err != nil {
		return fail("%v", err)
	}
	req.Header.Set("Accept", "application/json")
	if s.token != "" {
		req.Header.Set("Authorization", "Bearer "+s.token)
	}
	answer, err := s.http.Do(req)
	if err != nil {
		redirect := (*origin.Redirect)(nil)
		switch of := (*url.Error)(nil); {
		case errors.As(err, &redirect) && redirect.To != "":
			return fail("it redirects to %s, which rocec does not follow", diag.Escape(diag.Cut(redirect.To)))
		case redirect != nil:
			return fail("it redirects too often")
		case errors.As(err, &of): // its text repeats the whole address
			err = of.Err
		}
		return fail("%s", diag.Escape(diag.Cut(err.Error())))
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fail("it answers with status %d", answer.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer+1))
	switch {
	case err != nil:
		return fail("its answer ends early: %s", diag.Escape(diag.Cut(err.Error())))
	case len(data) > mostAnswer:
		return fail("an answer is larger than %d MiB", mostAnswer>>20)
	}
	if why := eachSeries(data, use); why != "" {
		return fail("%s", why)
	}
	return nil
}

// eachSeries calls use for each series of an answer. It keeps none of them: an answer can have more series than the fabric has ports. why
// is the reason, as part of a sentence, why an answer is not read.
func eachSeries(data []byte, use func(*labelled)) (why string) {
	const noResult = "its answer is not the result of a query"
	var doc struct {
		Status   string   `json:"status"`
		Warnings warnings `json:"warnings"`
		Data     struct {
			Type   string          `json:"resultType"`
			Result json.RawMessage `json:"result"`
		} `json:"data"`
	}
	if json.Unmarshal(data, &doc) != nil || doc.Status != "success" || doc.Data.Type != "vector" {
		return noResult
	}
	if doc.Warnings != "" {
		return "it warns that its answer may not be whole: " + diag.Escape(diag.Cut(string(doc.Warnings)))
	}
	in := json.NewDecoder(bytes.NewReader(doc.Data.Result))
	switch first, err := in.Token(); {
	case err == nil && first == nil: // null
		return ""
	case err != nil || first != json.Delim('['):
		return noResult
	}
	for n := 0; in.More(); n++ {
		var one labelled
		if n == mostSeries {
			return fmt.Sprintf("an answer has more than %s series", diag.Number(mostSeries))
		}
		if in.Decode(&one) != nil {
			return noResult
		}
		use(&one)
	}
	return ""
}

// warnings is the first warning of an answer. A server that asks others, such as Thanos, warns that one of them has not answered.
type warnings string

// UnmarshalJSON reads a list of texts, and leaves out a list of another form.
func (w *warnings) UnmarshalJSON(data []byte) error {
	var all []string
	if json.Unmarshal(data, &all) == nil && len(all) > 0 {
		*w = warnings(cmp.Or(all[0], "no reason"))
	}
	return nil
}

// metric is a metric that shows pauses, with its place.
type metric struct {
	name  string
	scale float64
	of    func(*ir.PauseCounters) *ir.Counter
}

// metrics returns the metrics by the names of docs/metrics.md.
func metrics() []metric {
	return []metric{
		{"rocec_pfc_received_frames_total", 1, func(c *ir.PauseCounters) *ir.Counter { return &c.Received }},
		{"rocec_pfc_sent_frames_total", 1, func(c *ir.PauseCounters) *ir.Counter { return &c.Sent }},
		{"rocec_pfc_received_pause_seconds_total", 1e6, func(c *ir.PauseCounters) *ir.Counter { return &c.ReceivedTime }},
		{"rocec_pfc_sent_pause_seconds_total", 1e6, func(c *ir.PauseCounters) *ir.Counter { return &c.SentTime }},
		{"rocec_queue_sent_packets_total", 1, func(c *ir.PauseCounters) *ir.Counter { return &c.Packets }},
		{"rocec_queue_bytes", 1, func(c *ir.PauseCounters) *ir.Counter { return &c.Waiting }},
		{"rocec_watchdog_cuts_total", 1, func(c *ir.PauseCounters) *ir.Counter { return &c.Cut }},
		{"rocec_watchdog_cutting", 1, func(c *ir.PauseCounters) *ir.Counter { return &c.Cutting }},
	}
}

// look is the metric with the time at which rocec read the devices.
const look = "rocec_last_look_timestamp_seconds"

// mostBack is the number of questions for the look before another one.
const mostBack = 12

// mostGap is the number of questions for the newest look: each goes back by twice the time, and an old look is not the state now.
const mostGap = 5

// mostAge is the age from which a look is not the state now. The alert RocecLookOld has the same limit.
const mostAge = 15 * time.Minute

// Readings returns the last three readings in the server, oldest first. The samples of a reading are those of one look of rocec at the
// devices: a server keeps the same values until the next look. If its clock is behind that of the machine that looked, it has stored a look
// before the time of that look. It has no value of a look after a scrape that failed. Then the questions go further back, each by twice the
// time.
func (s *Prometheus) Readings(ctx context.Context, f *ir.Fabric, now time.Time) ([]storm.Reading, error) {
	ctx, end := context.WithTimeout(ctx, mostAll)
	defer end()
	var out []storm.Reading
	var last time.Time
	at, step := now, time.Second
	for back := 0; len(out) < 3 && back < mostBack; back++ {
		taken, err := s.looked(ctx, f, at)
		if err != nil {
			return nil, err
		}
		if taken.IsZero() && len(out) == 0 && back == mostGap {
			break
		}
		if taken.IsZero() || len(out) > 0 && !taken.Before(last) {
			at, step = at.Add(-step), 2*step
			continue
		}
		if age := now.Sub(taken); len(out) == 0 && age > mostAge {
			return nil, exit.Fail(exit.Machines, "the last look at the fabric %s that Prometheus at %s has is %s old, and does not show the "+
				"pauses now: rocec verify --format openmetrics looks again", diag.Escape(f.Name), s.base.Redacted(), age.Truncate(time.Second))
		}
		one, err := s.reading(ctx, f, at, taken)
		if err != nil {
			return nil, err
		}
		again, err := s.looked(ctx, f, at)
		if err != nil {
			return nil, err
		}
		if !again.Equal(taken) { // the server was storing another look, so the values may be of both
			at, step = at.Add(-step), 2*step
			continue
		}
		out = append([]storm.Reading{one}, out...)
		if last = taken; taken.Before(at) {
			at = taken
		}
		at, step, back = at.Add(-time.Second), time.Second, 0 // the samples before the look
	}
	if len(out) == 0 {
		return nil, exit.Fail(exit.Machines, "Prometheus at %s has no %s of the fabric %s: rocec verify --format openmetrics writes the metrics",
			s.base.Redacted(), look, diag.Escape(f.Name))
	}
	return out, nil
}

// looked returns the time of the look whose samples a server has at a time; zero: it stores no look.
func (s *Prometheus) looked(ctx context.Context, f *ir.Fabric, at time.Time) (taken time.Time, err error) {
	err = s.ask(ctx, fmt.Sprintf("max(%s{fabric=%q})", look, f.Name), at, func(r *labelled) {
		if v, ok := r.value(); ok && v > 0 && v < mostValue/1e3 {
			taken = time.UnixMilli(int64(v * 1000))
		}
	})
	return taken, err
}

// reading asks for all series at a time.
func (s *Prometheus) reading(ctx context.Context, f *ir.Fabric, at, taken time.Time) (storm.Reading, error) {
	type key struct{ device, port string }
	found := map[key]*[8]ir.PauseCounters{}
	for _, p := range f.Ports {
		found[key{p.Device().Name, p.Name}] = &[8]ir.PauseCounters{}
	}
	for _, of := range metrics() {
		err := s.ask(ctx, fmt.Sprintf("max by (device, port, priority) (%s{fabric=%q})", of.name, f.Name), at, func(r *labelled) {
			priority, err := strconv.ParseUint(r.Metric.Priority, 10, 3)
			v, ok := r.value()
			counters, n := found[key{r.Metric.Device, r.Metric.Port}], math.Round(v*of.scale)
			if err == nil && ok && counters != nil && n <= mostValue {
				*of.of(&counters[priority]) = ir.Counter{Value: uint64(n), Known: true}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	out := storm.Reading{}
	for _, d := range f.Devices {
		one := &storm.Counters{When: taken}
		for _, p := range d.Ports {
			for priority, c := range found[key{d.Name, p.Name}] {
				if c != (ir.PauseCounters{}) {
					c.Port, c.Priority = p.Name, priority
					one.Ports = append(one.Ports, c)
				}
			}
		}
		for _, q := range targets.CounterQueries(d) {
			one.Every, one.Queues = max(one.Every, q.Every), max(one.Queues, q.Queue)
		}
		if len(one.Ports) == 0 {
			one.Failed = noSeries
		}
		out[d] = one
	}
	return out, nil
}
