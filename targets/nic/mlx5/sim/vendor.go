package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	nicsim "github.com/rocec/rocec/targets/nic/sim"
	"github.com/rocec/rocec/targets/target"
)

// VendorDriver gives the NICs the vendor's driver stack (MLNX_OFED) instead of the kernel's own. It adds the tool mlnx_qos. In
// sysfs it adds the files of ECN, traffic_class, ttl and roce_enable, and vf_roce for each of vfs virtual functions.
func (s *NICs) VendorDriver(vfs int) {
	s.m.Do(func() {
		s.vendor, s.vfs = true, vfs
		s.plantVendor()
	})
}

func (s *NICs) plantVendor() {
	for _, c := range s.all {
		c.VFs = slices.Repeat([]bool{true}, s.vfs)
		c.plantVendor()
	}
	s.m.Install("/usr/bin/mlnx_qos", nicsim.Locked(s.m, s.mlnxQos))
}

// plantVendor writes the further files of the vendor's driver.
func (c *card) plantVendor() {
	home := "/sys/class/net/" + c.Name
	for prio := range 8 {
		nth := strconv.Itoa(prio)
		c.m.Plant(home+"/ecn/roce_np/enable/"+nth, bit(&c.NP[prio]))
		c.m.Plant(home+"/ecn/roce_rp/enable/"+nth, bit(&c.RP[prio]))
	}
	c.number(home+"/ecn/roce_np/cnp_dscp", &c.CNPDSCP, 63)
	c.m.Plant(home+"/ecn/roce_np/cnp_802p_prio", target.NumberNode(func() int { return c.CNPPrio }, cnpPrio(&c.CNPPrio, &c.CNPMode)))
	c.number(home+"/ecn/roce_np/min_time_between_cnps", &c.CNPEvery, 4095)
	c.m.Plant(home+"/device/roce_enable", bit(&c.RoCE))
	c.m.Plant(home+"/settings/vf_roce", target.Node{
		Read: func() (string, error) {
			var b strings.Builder
			for i, on := range c.VFs {
				fmt.Fprintf(&b, "vf_num %d: %d\n", i, map[bool]int{true: 1}[on])
			}
			return b.String(), nil
		},
		Write: func(s string) error {
			var vf, on int
			if n, err := fmt.Sscanf(s, "%d %d", &vf, &on); n != 2 || err != nil || vf < 0 || vf >= len(c.VFs) || on < 0 || on > 1 {
				return target.EINVAL
			}
			c.VFs[vf] = on == 1
			return nil
		},
	})
	ib := "/sys/class/infiniband/" + c.RDMA
	c.number(ib+"/ttl/1/ttl", &c.TTL, 255)
	c.m.Plant(ib+"/tc/1/traffic_class", target.Node{Read: func() (string, error) { return c.readClass(), nil }, Write: c.writeClass})
}

func (c *card) readClass() string {
	var b strings.Builder
	if c.Class >= 0 {
		fmt.Fprintf(&b, "Global tclass=%d\n", c.Class)
	}
	for _, r := range c.Rules {
		b.WriteString(r + "\n")
	}
	return b.String()
}

// writeClass accepts a number, or "tclass=N" with src_ip= and dst_ip= in any order. N of -1 removes the class.
func (c *card) writeClass(s string) error {
	s = strings.TrimSpace(s)
	if len(s) > 100 || s == "" {
		return target.EINVAL
	}
	class, match := -2, map[string]string{}
	for word := range strings.SplitSeq(s, ",") {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			key, value = "tclass", word
		}
		switch key {
		case "tclass":
			n, err := strconv.Atoi(value)
			if err != nil || n < -1 || n > 255 {
				return target.EINVAL
			}
			class = n
		case "src_ip", "dst_ip", "src_ip6", "dst_ip6":
			match[key] = value
		default:
			return target.EINVAL
		}
	}
	if class == -2 {
		return target.EINVAL
	}
	if len(match) == 0 {
		c.Class = class
		return nil
	}
	var words []string
	for _, key := range []string{"src_ip", "dst_ip", "src_ip6", "dst_ip6"} {
		if v, ok := match[key]; ok {
			words = append(words, key+"="+v)
		}
	}
	rule := strings.Join(words, ",") + ",tclass="
	c.Rules = slices.DeleteFunc(c.Rules, func(r string) bool { return strings.HasPrefix(r, rule) })
	if class >= 0 {
		if len(c.Rules) == 40 {
			return target.ENOMEM
		}
		c.Rules = append(c.Rules, rule+strconv.Itoa(class))
	}
	return nil
}

// cnpPrio returns the writer of the priority of CNPs. The command of both drivers also sets the mode to 0, under the same bit of the mask.
func cnpPrio(prio, mode *int) func(int) error {
	return func(v int) error {
		if v < 0 || v > 7 {
			return target.EINVAL
		}
		*prio, *mode = v, 0
		return nil
	}
}

// bit returns a file with 0 or 1.
func bit(v *bool) target.Node {
	return target.NumberNode(func() int { return map[bool]int{true: 1}[*v] }, func(n int) error {
		if n != 0 && n != 1 {
			return target.EINVAL
		}
		*v = n == 1
		return nil
	})
}
