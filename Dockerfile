# dnabird in a small image without root: Debian's packages are built in one
# stage and installed in another, of which the last keeps the files.
#
#   docker build -t dnabird .
#   docker run --rm -v "$PWD:/data" -u "$(id -u):$(id -g)" dnabird promoter genome.fa
ARG BASE=debian:bookworm-slim

FROM ${BASE} AS build
COPY . /src
RUN apt-get update -q && apt-get install -y -q --no-install-recommends build-essential && apt-get build-dep -y -q --no-install-recommends -P nocheck /src
RUN cd /src && DEB_BUILD_OPTIONS=nocheck DEB_BUILD_PROFILES=nocheck dpkg-buildpackage -us -uc -b && mkdir /packages && mv /dnabird_*.deb /dnabird-data_*.deb /packages/

FROM ${BASE} AS packed
COPY --from=build /packages /packages
RUN apt-get update -q && apt-get install -y -q --no-install-recommends /packages/*.deb && rm -rf /packages /var/lib/apt/lists/* /var/cache/apt/* /var/log/* /usr/share/doc/* /usr/share/man/*
RUN useradd --uid 1000 --no-create-home --home-dir /data dnabird && mkdir -p /data && chown dnabird:dnabird /data

FROM scratch
COPY --from=packed / /
USER 1000:1000
WORKDIR /data
ENTRYPOINT ["dnabird"]
CMD ["help"]
