package targets_test

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// readNVUE reads a canonical tree of NVUE, which states all settings that affect packets: omitted values have no cos. A port without a
// profile has default-global.
func readNVUE(text string) *box {
	var docs []map[string]any
	if err := yaml.Unmarshal([]byte(text), &docs); err != nil {
		panic(err) // the text was written by rocec
	}
	var set any
	for _, doc := range docs {
		if s, ok := doc["set"]; ok {
			set = s
		}
	}
	at := func(path ...any) any {
		v := set
		for _, key := range path {
			m, _ := v.(map[string]any)
			v = m[fmt.Sprint(key)]
		}
		return v
	}
	keys := func(path ...any) map[string]any { m, _ := at(path...).(map[string]any); return m }
	number := func(path ...any) int {
		n, err := strconv.Atoi(fmt.Sprint(at(path...)))
		if err != nil {
			return nowhere
		}
		return n
	}
	sorts := func(b *box, profile string) {
		trust := at("qos", "mapping", profile, "trust")
		b.trustPCP, b.trustDSCP = trust == "l2" || trust == "both", trust == "l3" || trust == "both"
		b.plain = number("qos", "mapping", profile, "port-default-sp")
		for v := range 8 {
			b.pcp[v] = number("qos", "mapping", profile, "pcp", v, "switch-priority")
		}
		for v := range 64 {
			b.dscp[v] = number("qos", "mapping", profile, "dscp", v, "switch-priority")
		}
	}
	b := newBox()
	sorts(b, "default-global")
	queue := map[int]int{}
	for cos := range 8 {
		queue[cos] = number("qos", "egress-queue-mapping", "default-global", "switch-priority", cos, "traffic-class")
	}
	for port := range keys("interface") {
		of := func(table string) string {
			if name, ok := at("interface", port, "qos", table, "profile").(string); ok {
				return name
			}
			return "default-global"
		}
		if profile := of("mapping"); profile != "default-global" {
			b.own[port] = newBox()
			sorts(b.own[port], profile)
		}
		if profile := of("pfc"); at("qos", "pfc", profile) != nil {
			e := pfcEnd{
				sends: at("qos", "pfc", profile, "tx") != "disable", obeys: at("qos", "pfc", profile, "rx") != "disable",
			}
			for cos := range keys("qos", "pfc", profile, "switch-priority") {
				n, _ := strconv.Atoi(cos)
				put(b.pfc, port, n, e)
			}
		}
		if profile := of("link-pause"); at("qos", "link-pause", profile) != nil {
			b.pause[port] = at("qos", "link-pause", profile, "tx") != "disable" && at("qos", "link-pause", profile, "rx") != "disable"
		}
		for cos, q := range queue {
			class := []any{"qos", "congestion-control", of("congestion-control"), "traffic-class", q}
			if at(append(class, "ecn")...) == "enable" {
				put(b.marks, port, cos, true)
				put(b.from, port, cos, [3]int{
					number(append(class, "min-threshold")...), number(append(class, "max-threshold")...), number(append(class, "probability")...),
				})
			}
			class = []any{"qos", "egress-scheduler", of("egress-scheduler"), "traffic-class", q}
			switch at(append(class, "mode")...) {
			case "strict":
				put(b.share, port, cos, 0)
			case "dwrr":
				put(b.share, port, cos, number(append(class, "bw-percent")...))
			}
		}
	}
	b.queue = queue
	return b
}
