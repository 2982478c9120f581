package mlx5

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// fakeNIC is the state of a port for fakeMlnxQos. It starts with the factory settings of mlx5.
type fakeNIC struct {
	OS    bool
	DSCP  []int // priority of each DSCP; nil: trust pcp
	Cable int
	PFC   [8]int
	TC    [8]int
	TSA   [8]string
	BW    [8]int
}

// fakeMlnxQos replaces mlnx_qos of mlnx-tools. It has the options that rocec-host uses, the checks of the tool and the driver, and the dump
// after every call. The state is in $FAKE_DIR/mlnx_qos-IF; writes are logged in $FAKE_DIR/log.
func fakeMlnxQos(args []string) int {
	dev := "none"
	if i := slices.Index(args, "-i"); i >= 0 && i+1 < len(args) {
		dev = args[i+1]
	}
	file := filepath.Join(os.Getenv("FAKE_DIR"), "mlnx_qos-"+dev)
	n := fakeNIC{Cable: 7, TC: [8]int{1, 0, 2, 3, 4, 5, 6, 7}}
	for i := range 8 {
		n.TSA[i], n.BW[i] = "vendor", 100
	}
	if b, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(b, &n); err != nil {
			panic(err)
		}
	}
	next, all, wrote, err := n, false, false, error(nil)
	var trust string
	var maps []string
	for i := 0; i < len(args) && err == nil; i++ {
		if args[i] == "-a" {
			all = true
			continue
		}
		if i+1 == len(args) {
			fmt.Fprintf(os.Stderr, "mlnx_qos: error: %s option requires 1 argument\n", args[i])
			return 2
		}
		opt, value := args[i], args[i+1]
		i++
		wrote = wrote || opt != "-i"
		switch opt {
		case "-i":
		case "-d":
			next.OS = value == "os"
		case "-f":
			err = eightOf(value, func(i, v int) { next.PFC[i] = v }, 1)
		case "-p":
			err = eightOf(value, func(i, v int) { next.TC[i] = v }, 7)
		case "-t":
			err = eightOf(value, func(i, v int) { next.BW[i] = v }, 100)
		case "-s":
			words := strings.Split(value, ",")
			if len(words) != 8 {
				err = fmt.Errorf("tsa wants 8 values")
				break
			}
			copy(next.TSA[:], words)
		case "--cable_len":
			next.Cable, err = strconv.Atoi(value)
		case "--trust":
			trust = value
		case "--dscp2prio":
			maps = append(maps, value)
		default:
			fmt.Fprintf(os.Stderr, "mlnx_qos: error: no such option: %s\n", opt)
			return 2
		}
	}
	if trust != "" && maps != nil {
		err = fmt.Errorf("trust and dscp2prio do not go together")
	}
	switch {
	case trust == "pcp":
		next.DSCP = nil
	case trust == "dscp" && next.DSCP == nil:
		next.DSCP = make([]int, 64)
		for v := range next.DSCP {
			next.DSCP[v] = v >> 3
		}
	}
	for _, m := range maps {
		var v, p int
		if _, scan := fmt.Sscanf(m, "set,%d,%d", &v, &p); scan != nil || v > 63 || p > 7 || next.DSCP == nil {
			err = fmt.Errorf("bad dscp2prio %s", m)
			break
		}
		next.DSCP[v] = p
	}
	sum, shared := 0, false
	for t, tsa := range next.TSA {
		switch {
		case tsa == "ets":
			shared = true
			sum += next.BW[t]
		case next.BW[t] != 0 && next.TSA != n.TSA:
			err = fmt.Errorf("tc %d is not ETS and has a bandwidth", t)
		}
	}
	if shared && sum != 100 {
		err = fmt.Errorf("bandwidths sum to %d", sum)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if wrote {
		appendLine(filepath.Join(os.Getenv("FAKE_DIR"), "log"), "mlnx_qos "+strings.Join(args, " "))
		if next.PFC != n.PFC {
			appendLine(filepath.Join(os.Getenv("FAKE_DIR"), "log"), "link bounced")
		}
		b, err := json.Marshal(next)
		if err == nil {
			err = os.WriteFile(file, b, 0o644)
		}
		if err != nil {
			panic(err)
		}
	}
	next.dump(all)
	return 0
}

// dump prints the state in the format of the tool, or of its older releases if FAKE_OLD is set.
func (n *fakeNIC) dump(all bool) {
	old := os.Getenv("FAKE_OLD") != ""
	fmt.Println("DCBX mode: " + map[bool]string{true: "OS controlled", false: "Firmware controlled"}[n.OS])
	if n.DSCP == nil {
		fmt.Println("Priority trust state: pcp")
	} else {
		fmt.Println("Priority trust state: dscp\ndscp2prio mapping:")
		for p := range 8 {
			var line []string
			flush := func() {
				if len(line) > 0 {
					fmt.Printf("\tprio:%d dscp:%s,\n", p, strings.Join(line, ","))
				}
				line = nil
			}
			for v := range n.DSCP {
				if old {
					v = 63 - v // older releases list each priority in descending order
				}
				if n.DSCP[v] == p {
					line = append(line, fmt.Sprintf("%02d", v))
				}
				if len(line) == 8 {
					flush()
				}
			}
			flush()
		}
	}
	if !old {
		fmt.Println("default priority:")
	}
	fmt.Println("Receive buffer size (bytes): 130944,131072,0,0,0,0,0,0,max_buffer_size=262016")
	fmt.Printf("Cable len: %d\nPFC configuration:\n\tpriority    0   1   2   3   4   5   6   7\n\tenabled     ", n.Cable)
	for _, v := range n.PFC {
		fmt.Printf("%d   ", v)
	}
	fmt.Println("\n\tbuffer      0   0   0   0   1   0   0   0   ")
	for t := range 8 {
		used := false
		for _, tc := range n.TC {
			used = used || tc == t
		}
		if !used && !all {
			continue
		}
		fmt.Printf("tc: %d ratelimit: %s, tsa: %s", t, map[bool]string{true: "100.0 Gbps", false: "unlimited"}[t == 4], n.TSA[t])
		if n.TSA[t] == "ets" {
			fmt.Printf(", bw: %d%%", n.BW[t])
		}
		fmt.Println()
		for p, tc := range n.TC {
			if tc == t {
				fmt.Printf("\t priority:  %d\n", p)
			}
		}
	}
}

func eightOf(value string, set func(i, v int), most int) error {
	words := strings.Split(value, ",")
	if len(words) != 8 {
		return fmt.Errorf("%s: 8 values wanted", value)
	}
	for i, w := range words {
		v, err := strconv.Atoi(w)
		if err != nil || v < 0 || v > most {
			return fmt.Errorf("%s: out of range", value)
		}
		set(i, v)
	}
	return nil
}

func appendLine(file, line string) {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = fmt.Fprintln(f, line)
		f.Close()
	}
	if err != nil {
		panic(err)
	}
}
