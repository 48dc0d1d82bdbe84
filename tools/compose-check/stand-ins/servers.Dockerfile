# Stands in for postgres:18 and redis:7 likewise: Debian's servers behind the part of the images' interface that
# docker-compose.yml uses.
FROM localhost/pets-stand-in/debian:bookworm
COPY apt/ /etc/apt/
COPY ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
RUN apt-get update -qq \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql redis-server gosu \
 && rm -rf /var/lib/apt/lists/* /var/lib/postgresql/* \
 && install -d -o postgres -g postgres /var/lib/postgresql && install -d -o redis -g redis /data \
 && ln -s /usr/lib/postgresql/*/bin/* /usr/local/bin/
COPY --chmod=755 entrypoint.sh /usr/local/bin/docker-entrypoint.sh
ENTRYPOINT ["docker-entrypoint.sh"]
WORKDIR /data
CMD ["postgres"]
