// Package sim simulates Cumulus Linux on a switch: [Switchd], which programs the chip from traffic.conf, and the syntax checker
// cl-consistency-check. Switchd has a reload node and a log; from 4.4 on it reads qos_features.conf and qos_infra.conf.
//
// The reaction of a real switchd to a bad file differs by release and is not documented for 3.x. The simulated one refuses it, as the
// syntax checker of 4.1 and later would, and stays down. A line is bad if it is not in the grammar; [check] also checks combinations of
// lines.
//
// Package sim is an independent judge of the files and commands of rocec: never merge it with the grammar or the reader of the target.
// From the grammar it uses only the table of keys and types.
package sim

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target"
)

// Config contains the differences between switches.
type Config struct {
	Conf    string                        // the path of traffic.conf, or of qos_features.conf
	Infra   string                        // the path of qos_infra.conf; empty: the release lacks it. With it, the unit reloads
	Unit    string                        // the service: "switchd.service"
	Reload  string                        // the node that makes switchd reload the file; empty: the release lacks it
	Checker bool                          // the release has the syntax checker, and switchd refuses the same files
	Says    func(content []byte) []string // further lines that switchd logs when it loads a file; nil: none
}

// Switchd is the daemon of one switch.
type Switchd struct {
	Config
	m target.Machine
	state
}

// state is the daemon's state while it runs, guarded by the machine's lock.
type state struct {
	Content string // the last loaded file
	Queues  string // the qos_infra.conf loaded with it
	Loads   int    // the number of loads since the device was switched on
}

// Valid implements [target.State].
func (s *state) Valid() bool { return s.Loads >= 0 }

// New returns the daemon of one switch.
func New(c Config) *Switchd { return &Switchd{Config: c} }

// Boot implements [target.Sim].
func (s *Switchd) Boot(m target.Machine) {
	s.m, s.state = m, state{}
	m.Keep(s.Unit, &s.state)
	m.Folder("/cumulus")
	if s.Reload != "" {
		m.Plant(s.Reload, target.TextNode(func() string { return "0" }, func(text string) error {
			if strings.TrimSpace(text) != "1" {
				return target.EINVAL
			}
			return s.load()
		}))
	}
	if s.Checker {
		m.Install("/usr/cumulus/bin/cl-consistency-check", s.consistencyCheck) // this folder is in no search path
	}
	m.Service(s.Unit, s.load)
}

// load loads the file, or refuses it. A switch without a file starts nevertheless.
func (s *Switchd) load() error {
	content, err := s.m.ReadFile(s.Conf)
	if err != nil {
		return nil
	}
	if s.Infra != "" {
		infra, _ := s.m.ReadFile(s.Infra)
		if faults := checkPair(content, infra); len(faults) > 0 {
			s.log(faults)
			return target.EIO
		}
		s.Queues = string(infra)
	} else if faults := check(content, s.Checker); len(faults) > 0 {
		s.log(faults)
		return target.EIO
	}
	s.Content, s.Loads = string(content), s.Loads+1
	s.log(unlimited(content))
	if s.Says != nil {
		s.log(s.Says(content))
	}
	return nil
}

// unlimited returns the lines that switchd logs for each cos with PFC; they are not complaints.
func unlimited(content []byte) (lines []string) {
	parsed, _ := grammar.Parse(content)
	conf := grammar.ValuesOf(parsed)
	list, _ := conf.Get(grammar.PFC, grammar.Groups, -1, "")
	for _, g := range grammar.Items(list) {
		set, _ := conf.Get(grammar.PFC, grammar.GroupCos, -1, g)
		for _, cos := range grammar.Items(set) {
			lines = append(lines, "WARNING unlimited egress buffer for flow controlled switch priority "+cos)
		}
	}
	return lines
}

// log writes switchd's log.
func (s *Switchd) log(faults []string) {
	for _, f := range faults {
		s.m.AppendFile("/var/log/switchd.log", "switchd: "+f+"\n")
	}
}

// Loaded returns the traffic.conf that switchd runs with, and the number of loads since the device was switched on.
func (s *Switchd) Loaded() (content []byte, times int) {
	s.m.Do(func() {
		if times = s.Loads; times > 0 {
			content = []byte(s.Content)
		}
	})
	return content, times
}

// consistencyCheck is cl-consistency-check --datapath-syntax-check [-q] [-t FILE], or in 4.4 and later [-q] [-qf FILE] [-qi FILE].
func (s *Switchd) consistencyCheck(p *target.Proc) int {
	if s.Infra != "" {
		return s.checkPair(p)
	}
	set, rest, complaint := target.Getopt(p.Args[1:], "qt:hd", map[string]byte{"datapath-syntax-check": 'd', "help": 'h'})
	if complaint != "" || len(rest) > 0 || set['d'] == nil {
		return p.Fail(1, "%s: usage: cl-consistency-check --datapath-syntax-check [-q] [-t FILE]", p.Name())
	}
	file := s.Conf
	if given := set['t']; given != nil {
		file = given[len(given)-1]
	}
	content, err := p.ReadFile(file)
	if err != nil {
		return p.Fail(1, "%s: %s: %v", p.Name(), file, err)
	}
	faults := check(content, true)
	switch {
	case set['q'] != nil:
		s.m.Do(func() { s.log(faults) })
	case len(faults) > 0:
		p.Fail(1, "%s\nErrors detected while checking traffic config file %s", strings.Join(faults, "\n"), file)
	default:
		p.Print(fmt.Sprintf("No errors detected in traffic config file %s\n", file))
	}
	return min(len(faults), 1)
}

// checkPair is the checker of releases with two files. It reads an unnamed file from its usual path.
func (s *Switchd) checkPair(p *target.Proc) int {
	const usage = "%s: usage: cl-consistency-check --datapath-syntax-check [-q] [-qf FILE] [-qi FILE]"
	files := [2]string{s.Conf, s.Infra}
	asked, quiet := false, false
	for args := p.Args[1:]; len(args) > 0; args = args[1:] {
		switch at := map[string]int{"-qf": 0, "-qi": 1}; {
		case args[0] == "--datapath-syntax-check":
			asked = true
		case args[0] == "-q":
			quiet = true
		case (args[0] == "-qf" || args[0] == "-qi") && len(args) > 1:
			files[at[args[0]]] = args[1]
			args = args[1:]
		default:
			return p.Fail(1, usage, p.Name())
		}
	}
	if !asked {
		return p.Fail(1, usage, p.Name())
	}
	var content [2][]byte
	for i, file := range files {
		var err error
		if content[i], err = p.ReadFile(file); err != nil {
			return p.Fail(1, "%s: %s: %v", p.Name(), file, err)
		}
	}
	faults := checkPair(content[0], content[1])
	switch {
	case quiet:
		s.m.Do(func() { s.log(faults) })
	case len(faults) > 0:
		p.Fail(1, "%s\nErrors detected while checking traffic config file %s", strings.Join(faults, "\n"), strings.Join(files[:], " "))
	default:
		p.Print(fmt.Sprintf("No errors detected in traffic config file %s\n", strings.Join(files[:], " ")))
	}
	return min(len(faults), 1)
}
