#!/bin/bash
# RoCE at boot
set -e
modprobe rdma_cm
rdma link add rxe0 type rxe netdev eth9
mlnx_qos -i eth0 --trust dscp
mlnx_qos -i eth0 -f 0,0,0,1,0,0,0,0 \
	-p 0,0,0,3,0,0,6,0 --tsa ets,strict,strict,ets,strict,strict,strict,strict -t 40,0,0,60,0,0,0,0
mlnx_qos -i eth0 --dscp2prio set,30,6 --dscp2prio=set,48,6
mlnx_qos -i eth0 --prio2buffer 0,0,0,1,0,0,0,0 --buffer_size 20016,156096,0,0,0,0,0,0 -r 0,0,0,90
/usr/sbin/ethtool -A eth0 rx off tx off autoneg off && echo done
sleep 2; ip link set dev eth0 mtu 9000 up
ip link add link eth0 name eth0.60 type vlan id 60 egress-qos-map 0:3 4:3
echo 106 > /sys/class/infiniband/rxe0/tc/1/traffic_class
echo 96 | sudo tee /sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_tos
dcb pfc set dev eth1 prio-pfc all:off 4:on
dcb app add dev eth1 dscp-prio AF41:4 48:6
systemctl stop lldpad
sysctl -w net.ipv4.tcp_ecn=1
