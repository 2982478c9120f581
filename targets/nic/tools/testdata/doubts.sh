DEV=eth0
mlnx_qos -i eth0 --pfc 0,0,0,1,0,0,0,0
mlnx_qos -i eth0 --trust dscp
ethtool -A eth0 rx off tx off
for d in eth0 eth1; do
	mlnx_qos -i $d --pfc 0,0,0,0,1,0,0,0
done
if [ -e /sys/class/net/eth0 ]; then ethtool -A eth0 rx on tx on; fi
mlnx_qos -i eth0 --ecn 0,0,0,1,0,0,0,0
/opt/site/roce.sh eth0
mlnx_qos -i eth2 --pfc 0,0,0,1,0,0,0,0 || mlnx_qos -i eth2 --pfc 0,0,0,0,0,0,0,0
[ -x /sbin/ip ] && ip link set eth2 mtu 9000
mlnx_qos -i eth2 --trust $TRUST
cma_roce_tos -d mlx5_0 -t 106
